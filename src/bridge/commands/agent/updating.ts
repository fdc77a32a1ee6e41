import type { Agent, AgentUpdate } from '../../../shared/api/agent.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { differences, shareable } from '../outcomes.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import type { Values } from '../option.ts';
import type { Texts } from '../../texts/texts.ts';
import {
  agentOptions,
  renderAgentLine,
  emptied,
  settingsOf,
  typedSettings,
  parseMessages,
  parseTags,
  parseVariables,
} from './agent-settings.ts';

export const agentOption = {
  type: 'reference',
  to: 'agent',
  description: 'agent name',
  required: true,
} as const;

/** Sends only the changed settings to the service, and shows the result. */
async function* change(context: ActionContext, agent: Agent, wanted: AgentUpdate) {
  const changed = differences<AgentUpdate>(settingsOf(agent), wanted);
  if (!changed) {
    yield context.texts.nothingChanged;
    return;
  }
  const updated = await context.client.updateAgent(agent.uuid, changed.after, context.signal);
  context.changed({ what: { uuid: agent.uuid, name: updated.name }, ...changed });
  context.threads.handOverChanged();
  yield shareable(context, `✅ ${context.texts.updated(renderAgentLine(updated, context))}`);
}

export const update = defineAction({
  description: 'agent update',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption, ...agentOptions },
  async *run(context, { agent, ...given }) {
    const typed = typedSettings(agent);
    // An initial value that nobody touched is not a change, however it would be parsed.
    const touched: Given = Object.fromEntries(
      Object.entries(given).filter(([name]) => context.raw[name] !== typed[name]),
    );
    const wanted = toUpdate(touched, agent, context.texts);
    if (typeof wanted === 'string') yield wanted;
    else yield* change(context, agent, wanted);
  },
  initialValues: ({ agent }) => (agent ? typedSettings(agent) : {}),
});

export const enable = defineAction({
  description: 'agent enable',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption },
  run: (context, { agent }) => change(context, agent, { enabled: true }),
});

export const disable = defineAction({
  description: 'agent disable',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption },
  run: (context, { agent }) => change(context, agent, { enabled: false }),
});

export const sources = defineAction({
  description: 'agent sources',
  shownTo: 'private',
  managersOnly: true,
  options: {
    agent: agentOption,
    sources: {
      type: 'reference',
      to: 'source',
      many: true,
      description: 'agent sources sources',
    },
    'all-sources': agentOptions['all-sources'],
  },
  async *run(context, { agent, sources, 'all-sources': all }) {
    if (!sources?.length && all === undefined) {
      yield context.texts.agent.sourcesOrAll;
      return;
    }
    yield* change(context, agent, {
      // The service uses the list only if the agent does not see all sources.
      use_all_sources: all ?? false,
      ...(sources && { data_source_uuids: sources.map(({ uuid }) => uuid) }),
    });
  },
  initialValues: ({ agent }) =>
    agent && {
      sources: agent.data_source_uuids.join(', '),
      'all-sources': String(agent.meta.use_all_sources),
    },
});

type Given = Partial<Values<typeof agentOptions>>;

/** The update to send, or a sentence that says what can't be parsed. */
function toUpdate(given: Given, agent: Agent, { agent: texts }: Texts): AgentUpdate | string {
  const { name, description, prompt, model, temperature } = given;
  const variables = given.variables === undefined ? undefined : parseVariables(given.variables);
  if (variables && 'wrong' in variables)
    return texts.wrongVariable(escapeMarkdown(variables.wrong));
  const tags = given.tags === undefined ? undefined : parseTags(given.tags);
  if (tags && 'wrong' in tags) return texts.wrongTag(escapeMarkdown(tags.wrong));
  const handover = toHandover(given);
  const { 'all-sources': allSources } = given;
  return {
    name,
    description: description && emptied(description),
    prompt: prompt && emptied(prompt),
    model,
    temperature,
    use_all_sources: allSources,
    variables: variables?.items,
    tags: tags?.items,
    ...(Object.keys(handover).length > 0 && {
      human_escalation_settings: { ...settingsOf(agent).human_escalation_settings, ...handover },
    }),
  };
}

function toHandover(given: Given): NonNullable<AgentUpdate['human_escalation_settings']> {
  const { monitored, notifications, sound } = given;
  const { 'handover-message': message, 'handover-start': start, 'handover-end': end } = given;
  return {
    ...(message !== undefined && { human_requested_message: emptied(message) }),
    ...(start !== undefined && { live_chat_start_announcement: emptied(start) }),
    ...(end !== undefined && { live_chat_end_announcement: emptied(end) }),
    ...(monitored !== undefined && { monitored_messages: parseMessages(monitored) }),
    ...(notifications !== undefined && { notifications_enabled: notifications }),
    ...(sound !== undefined && { sound_enabled: sound }),
  };
}
