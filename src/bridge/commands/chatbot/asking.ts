import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import {
  type AskingRules,
  directPlace,
  type LimitScope,
  limitScopes,
  ruledKinds,
  type WorkspaceSettings,
} from '../../conversation/settings.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { renderFields } from '../outcomes.ts';
import { explainUnknown, noteWorkspace } from './workspace-settings.ts';

/** Max people, groups, channels and bots that are named, each. */
const maxNamed = 100;

const botId = /^[A-Za-z0-9]{3,40}$/;

/** `/chatbot access`: who may ask, and where. */
export const access = defineAction({
  description: 'chatbot access',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    rule: {
      type: 'choice',
      choices: ['allow', 'block', 'clear'],
      description: 'chatbot access rule',
    },
    person: { type: 'person', description: 'chatbot access person' },
    group: { type: 'group', description: 'chatbot access group' },
    channel: { type: 'channel', description: 'chatbot access channel' },
    direct: { type: 'boolean', description: 'chatbot access direct' },
    bot: { type: 'text', description: 'chatbot access bot', maxLength: 60 },
  },
  async run(context, { rule, person, group, channel, direct = false, bot }) {
    const { chatbot, invalid, descriptions } = context.texts;
    const named = botId.exec(bot?.trim() ?? '')?.[0].toUpperCase();
    const given = {
      people: [person ?? []].flat(),
      groups: [group ?? []].flat(),
      channels: [channel ?? [], direct ? directPlace : []].flat(),
      bots: [named ?? []].flat(),
    };
    const isAsked = ruledKinds.every((kind) => given[kind].length === 0);
    const unknown = rule !== 'clear' && (await explainUnknown({ person, group }, context));
    if (bot !== undefined && named === undefined) return `**bot**: ${chatbot.asking.wrongBot}`;
    if (isAsked) return renderAsking(await context.settings.of(context), context);
    if (rule === undefined) return invalid.missing('rule', descriptions['chatbot access rule']);
    if (unknown) return unknown;
    const apply = (rules: AskingRules = {}): AskingRules =>
      Object.fromEntries(
        ruledKinds.map((kind) => [kind, withRule(rules[kind], given[kind], rule)]),
      );
    const isTooMany = (rules: AskingRules) =>
      ruledKinds.some((kind) => Object.keys(rules[kind] ?? {}).length > maxNamed);
    const change = (all: WorkspaceSettings) => {
      const asking = apply(all.asking);
      return isTooMany(asking) ? all : { ...all, asking };
    };
    const before = await context.settings.change(context, change);
    if (isTooMany(apply(before.asking))) return chatbot.asking.tooMany(maxNamed);
    return saved(context, before, change(before));
  },
});

/** `/chatbot limits`: how many questions are asked within 24 hours. */
export const limits = defineAction({
  description: 'chatbot limits',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    person: { ...limitOption(), description: 'chatbot limits person' },
    channel: { ...limitOption(), description: 'chatbot limits channel' },
    workspace: { ...limitOption(), description: 'chatbot limits workspace' },
  },
  async run(context, given) {
    const change = (all: WorkspaceSettings): WorkspaceSettings => {
      const chosen = limitScopes.map((scope) => [scope, given[scope] ?? all.limits?.[scope]]);
      return { ...all, limits: Object.fromEntries(chosen.filter(([, max]) => max)) };
    };
    const before = await context.settings.change(context, change);
    return saved(context, before, change(before));
  },
});

function limitOption() {
  return { type: 'number', min: 0, max: 1_000_000, whole: true } as const;
}

function withRule(
  rules: AskingRules['people'] = {},
  ids: readonly string[],
  rule: 'allow' | 'block' | 'clear',
) {
  const others = Object.entries(rules).filter(([id]) => !ids.includes(id));
  if (rule === 'clear') return Object.fromEntries(others);
  const chosen = ids.map((id) => [id, rule === 'allow' ? 'allowed' : 'blocked'] as const);
  return Object.fromEntries([...others, ...chosen]);
}

async function saved(
  context: ActionContext,
  before: WorkspaceSettings,
  after: WorkspaceSettings,
): Promise<string> {
  const pick = ({ asking, limits: max }: WorkspaceSettings) => ({ ...asking, ...max });
  const isChanged = noteWorkspace(context, pick(before), pick(after));
  return `${isChanged ? '✅ ' : ''}${await renderAsking(after, context)}`;
}

/** All that is set. */
async function renderAsking(
  { asking = {}, limits: max = {} }: WorkspaceSettings,
  context: ActionContext,
): Promise<string> {
  const { asking: texts } = context.texts.chatbot;
  const rows = ruledKinds.map(async (kind) => {
    const listed = await Promise.all(
      (['allowed', 'blocked'] as const).map(async (rule) => {
        const ids = Object.keys(asking[kind] ?? {}).filter((id) => asking[kind]?.[id] === rule);
        const names = await Promise.all(ids.map((id) => nameOf(kind, id, context)));
        return names.length > 0 ? texts[rule](names.join(', ')) : [];
      }),
    );
    return [texts.kinds[kind], listed.flat().join(' · ')] as const;
  });
  const limited = limitScopes.map((scope: LimitScope) => {
    const most = max[scope];
    return [texts.limits[scope], most && texts.limit(most)] as const;
  });
  const shown = await Promise.all(rows);
  const everyone = shown.every(([, names]) => names === '') ? [texts.everyone] : [];
  const unlimited = limited.every(([, most]) => !most) ? [texts.unlimited] : [];
  const lead = [`**${texts.heading}**`, [...everyone, ...unlimited].join(' ')].join('\n').trim();
  return `${lead}\n${renderFields([...shown, ...limited].map(([name, value]) => [name, value || undefined]))}`.trim();
}

async function nameOf(
  kind: (typeof ruledKinds)[number],
  id: string,
  { names, texts }: ActionContext,
): Promise<string> {
  if (id === directPlace) return texts.chatbot.asking.direct;
  const kinds = { people: 'person', groups: 'group', channels: 'channel', bots: 'person' } as const;
  const name = await names.nameOf(kinds[kind], id);
  return name === undefined ? `\`${id}\`` : escapeMarkdown(name);
}
