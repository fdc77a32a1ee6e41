import type { Agent, AgentUpdate } from '../../../shared/api/agent.ts';
import type { ActionContext } from '../command.ts';
import { renderFields } from '../outcomes.ts';
import { bold, escapeMarkdown, quote } from '../../conversation/markdown/plain-text.ts';

/** An agent's current settings, in the shape of an update. */
export function settingsOf(agent: Agent) {
  const { meta, human_escalation_settings: escalation } = agent;
  return {
    name: agent.name,
    description: agent.description,
    prompt: agent.prompt,
    model: meta.model,
    temperature: meta.temperature,
    use_all_sources: meta.use_all_sources,
    enabled: agent.enabled,
    data_source_uuids: agent.data_source_uuids,
    variables: agent.variables.map(
      ({ name, description, type, example, default_value: value }) => ({
        name,
        type: type === 'number' || type === 'boolean' ? type : ('string' as const),
        description,
        ...(example && { example }),
        ...(value && { default_value: { content: value.content, static: value.static } }),
      }),
    ),
    tags: meta.tags.map(({ name, color, criteria }) => ({ name, color, criteria })),
    human_escalation_settings: {
      human_requested_message: escalation?.human_requested_message ?? '',
      live_chat_start_announcement: escalation?.live_chat_start_announcement ?? '',
      live_chat_end_announcement: escalation?.live_chat_end_announcement ?? '',
      monitored_messages: escalation?.monitored_messages ?? [],
      notifications_enabled: escalation?.notifications_enabled ?? false,
      sound_enabled: escalation?.sound_enabled ?? false,
    },
  } satisfies AgentUpdate;
}

/** An agent's settings as people type them, for a form's initial values. */
export function typedSettings(agent: Agent): Record<string, string> {
  const { human_escalation_settings: escalation, ...settings } = settingsOf(agent);
  return {
    name: settings.name,
    description: settings.description,
    prompt: settings.prompt,
    model: settings.model,
    temperature: String(settings.temperature),
    'all-sources': String(settings.use_all_sources),
    variables: settings.variables.map(renderVariable).join('\n'),
    tags: settings.tags.map(renderTag).join('\n'),
    'handover-message': escalation.human_requested_message,
    'handover-start': escalation.live_chat_start_announcement,
    'handover-end': escalation.live_chat_end_announcement,
    monitored: escalation.monitored_messages.map(oneLine).join('\n'),
    notifications: String(escalation.notifications_enabled),
    sound: String(escalation.sound_enabled),
  };
}

/** Parses a text that can be cleared. */
export function emptied(text: string): string {
  return text.trim().toLowerCase() === emptyWord ? '' : text;
}

/** The options for an agent's settings. */
export const agentOptions = {
  name: { type: 'text', description: 'agent new name', maxLength: 200 },
  description: { type: 'text', description: 'agent description', maxLength: 2000 },
  prompt: { type: 'text', description: 'agent prompt', maxLength: 6000, multiline: true },
  model: { type: 'text', description: 'agent model', maxLength: 100 },
  temperature: { type: 'number', min: 0, max: 1, description: 'agent temperature' },
  'all-sources': { type: 'boolean', description: 'agent all-sources' },
  variables: {
    type: 'text',
    description: 'agent variables',
    maxLength: 6000,
    multiline: true,
  },
  tags: { type: 'text', description: 'agent tags', maxLength: 6000, multiline: true },
  'handover-message': {
    type: 'text',
    description: 'agent handover-message',
    maxLength: 2000,
  },
  'handover-start': { type: 'text', description: 'agent handover-start', maxLength: 2000 },
  'handover-end': { type: 'text', description: 'agent handover-end', maxLength: 2000 },
  monitored: {
    type: 'text',
    description: 'agent monitored',
    maxLength: 6000,
    multiline: true,
  },
  notifications: { type: 'boolean', description: 'agent notifications' },
  sound: { type: 'boolean', description: 'agent sound' },
} as const;

type Variable = NonNullable<AgentUpdate['variables']>[number];
type Tag = Extract<NonNullable<AgentUpdate['tags']>, unknown[]>[number];

/** A parsed list, or the part of it that can't be parsed. */
export type Parsed<Item> = { items: Item[] } | { wrong: string };

const types = ['string', 'number', 'boolean'] as const;
const color = /^#[0-9a-f]{6}$/i;

/** The word that, on its own, empties a list. */
const emptyWord = 'none';

/**
 * Parses typed variables, separated by lines or semicolons: `name | string, number or boolean |
 * description | example | default`; the last two are optional. Those of `known` that nobody touched
 * stay as they are.
 */
export function parseVariables(text: string, known: readonly Variable[] = []): Parsed<Variable> {
  return parseItems(text, toLines(known, renderVariable), (piece) => {
    const [name, type, description = '', example, content] = partsOf(piece);
    const kind = types.find((each) => each === type?.toLowerCase());
    if (!name || !kind) return undefined;
    return {
      name,
      type: kind,
      description,
      ...(example && { example }),
      ...(content && { default_value: { content, static: 0 } }),
    };
  });
}

/** Parses typed tags, separated by lines or semicolons: `name | #rrggbb | criteria`; `known` as above. */
export function parseTags(text: string, known: readonly Tag[] = []): Parsed<Tag> {
  return parseItems(text, toLines(known, renderTag), (piece) => {
    const [name, code, criteria = ''] = partsOf(piece);
    const isTag = name && code && color.test(code);
    return isTag ? { name, color: code.toLowerCase(), criteria } : undefined;
  });
}

/** Parses typed messages, separated by lines or semicolons; `known` as above. */
export function parseMessages(text: string, known: readonly string[] = []): string[] {
  const parsed = parseItems(text, toLines(known, oneLine), (piece) => piece);
  return 'items' in parsed ? parsed.items : [];
}

function renderVariable({ name, type, description, example, default_value: value }: Variable) {
  return renderItem([name, type, description, example, value?.content]);
}

function renderTag({ name, color, criteria }: Tag): string {
  return renderItem([name, color, criteria]);
}

function renderItem(parts: (string | undefined)[]): string {
  const last = parts.findLastIndex((part) => part);
  return oneLine(parts.slice(0, last + 1).join(' | '));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Items by how they are typed. */
function toLines<Item>(items: readonly Item[], render: (item: Item) => string): Map<string, Item> {
  return new Map(items.map((item) => [render(item), item]));
}

function parseItems<Item>(
  text: string,
  known: ReadonlyMap<string, Item>,
  toItem: (piece: string) => Item | undefined,
): Parsed<Item> {
  if (isEmpty(text)) return { items: [] };
  const items: Item[] = [];
  for (const line of text.split('\n').map(oneLine)) {
    // A known one may contain what separates others.
    const pieces = known.has(line) ? [line] : line.split(';').map((piece) => piece.trim());
    for (const piece of pieces.filter((each) => each !== '')) {
      const item = known.get(piece) ?? toItem(piece);
      if (item === undefined) return { wrong: piece };
      items.push(item);
    }
  }
  return { items };
}

function partsOf(piece: string): string[] {
  return piece.split('|').map((part) => part.trim());
}

function isEmpty(text: string): boolean {
  return text.trim().toLowerCase() === emptyWord;
}

/** Renders an agent in one line. */
export function renderAgentLine(agent: Agent, { texts }: ActionContext): string {
  const { name, type, enabled, meta } = agent;
  const state = enabled ? `🟢 ${texts.agent.enabled}` : `⚪ ${texts.agent.disabled}`;
  return `${bold(name)} · ${type} · ${state} · ${escapeMarkdown(meta.model)}`;
}

/** Renders all settings of an agent, with its prompt in full or shortened. */
export function renderAgent(
  agent: Agent,
  { sources, prompt }: { sources: readonly string[]; prompt: string },
  context: ActionContext,
): string {
  const { texts, formats } = context;
  const { fields } = texts;
  const { human_escalation_settings: handover } = settingsOf(agent);
  const details = renderFields([
    [fields.description, escapeMarkdown(agent.description)],
    [fields.temperature, formats.number(agent.meta.temperature)],
    [
      fields.sources,
      agent.meta.use_all_sources
        ? texts.agent.allSources
        : sources.join(', ') || texts.agent.noSources,
    ],
    [
      fields.variables,
      agent.variables.map(({ name, type }) => `${escapeMarkdown(name)} (${type})`).join(', '),
    ],
    [fields.tags, agent.meta.tags.map(({ name }) => escapeMarkdown(name)).join(', ')],
    [fields.handoverMessage, escapeMarkdown(handover.human_requested_message)],
    [fields.handoverStart, escapeMarkdown(handover.live_chat_start_announcement)],
    [fields.handoverEnd, escapeMarkdown(handover.live_chat_end_announcement)],
    [fields.monitored, handover.monitored_messages.map(escapeMarkdown).join(', ')],
    [fields.notifications, texts.yesOrNo(handover.notifications_enabled)],
    [fields.sound, texts.yesOrNo(handover.sound_enabled)],
    [fields.created, formats.time(agent.created_at)],
    [fields.modified, formats.time(agent.modified_at)],
    [fields.uuid, `\`${agent.uuid}\``],
  ]);
  const quoted = prompt ? [quote(prompt)] : [];
  return [renderAgentLine(agent, context), details, ...quoted].join('\n\n');
}
