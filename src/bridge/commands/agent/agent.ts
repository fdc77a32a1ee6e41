import { type Agent, AgentType, type AgentUpdate } from '../../../shared/api/agent.ts';
import { type ActionContext, type Command, type Outcome, defineAction } from '../command.ts';
import {
  askToConfirm,
  differences,
  fold,
  foldable,
  pageOption,
  renderPage,
  shareable,
} from '../outcomes.ts';
import { bold, escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import {
  agentOptions,
  emptied,
  parseMessages,
  parseTags,
  parseVariables,
  renderAgent,
  renderAgentLine,
  settingsOf,
  typedSettings,
} from './agent-settings.ts';
import type { Values } from '../option.ts';
import { listAgents } from '../lists.ts';
import { listSourceNames } from '../source/render-source.ts';
import type { Texts } from '../../texts/texts.ts';

const maxPromptLength = 1_500;

const agentOption = {
  type: 'reference',
  to: 'agent',
  description: 'agent name',
  required: true,
} as const;

const list = defineAction({
  description: 'agent list',
  shownTo: 'private',
  options: {
    page: pageOption,
  },
  async run(context, { page }) {
    const agents = await listAgents(context);
    return renderPage(context, {
      heading: context.texts.agent.count(agents.length),
      lines: agents.map((agent) => `- ${renderAgentLine(agent, context)}`),
      page,
    });
  },
});

const show = defineAction({
  description: 'agent show',
  shownTo: 'private',
  options: { agent: agentOption },
  async run(context, { agent }) {
    const uuids = agent.meta.use_all_sources ? [] : agent.data_source_uuids;
    return renderWhole(agent, await listSourceNames(uuids, context), context);
  },
});

const create = defineAction({
  description: 'agent create',
  shownTo: 'private',
  managersOnly: true,
  options: {
    name: { ...agentOptions.name, required: true },
    type: {
      type: 'choice',
      choices: AgentType.options,
      description: 'agent type',
      required: true,
    },
    description: agentOptions.description,
    prompt: agentOptions.prompt,
    model: agentOptions.model,
    temperature: agentOptions.temperature,
    'all-sources': agentOptions['all-sources'],
    tags: agentOptions.tags,
  },
  async run(context, given) {
    const { name, type, description, prompt, model, temperature, tags: typed } = given;
    const { 'all-sources': allSources } = given;
    const tags = typed === undefined ? undefined : parseTags(typed);
    if (tags && 'wrong' in tags) return context.texts.agent.wrongTag(escapeMarkdown(tags.wrong));
    const body = {
      name,
      type,
      description,
      prompt,
      model,
      temperature,
      use_all_sources: allSources,
      tags: tags?.items,
    };
    const chatbot = await context.bindings.chatbotFor(context);
    const agent = await context.client.createAgent(chatbot, body, context.signal);
    context.changed({ what: { uuid: agent.uuid, name: agent.name }, after: body });
    const { texts, slash } = context;
    const created = texts.agent.created(bold(name), slash('agent enable'));
    const title = agent.enabled ? texts.updated(bold(name)) : created;
    const made = renderAgent(agent, { sources: [], prompt: '' }, context);
    return shareable(context, `✅ ${title}\n\n${made}`);
  },
});

const deleteAgent = defineAction({
  description: 'agent delete',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption },
  async run(context, { agent }) {
    const { texts, confirmed } = context;
    const { uuid, name, type } = agent;
    const title = bold(name);
    if (!confirmed) {
      const agents = await listAgents(context);
      const answering = agents.filter((each) => each.enabled && each.type === 'user-facing');
      const isLast = answering.length === 1 && answering[0]?.uuid === uuid;
      return askToConfirm(context, {
        question: texts.agent.deleteAsk(title, isLast),
        label: texts.deleteLabel,
        values: { agent: uuid },
      });
    }
    await context.client.deleteAgent(uuid, context.signal);
    context.changed({ what: { uuid, name }, before: { type, ...settingsOf(agent) } });
    return `🗑️ ${texts.deleted(title)}`;
  },
});

function renderWhole(agent: Agent, sources: readonly string[], context: ActionContext): Outcome {
  const prompt = fold(context, agent.prompt, { maxLength: maxPromptLength, file: 'prompt.md' });
  const markdown = renderAgent(agent, { sources, prompt: prompt.text }, context);
  return foldable(context, shareable(context, markdown), [prompt]);
}

/** Sends only the changed settings to the service, and shows the result. */
async function change(context: ActionContext, agent: Agent, wanted: AgentUpdate) {
  const changed = differences<AgentUpdate>(settingsOf(agent), wanted);
  if (!changed) return context.texts.nothingChanged;
  const updated = await context.client.updateAgent(agent.uuid, changed.after, context.signal);
  context.changed({ what: { uuid: agent.uuid, name: updated.name }, ...changed });
  context.threads.handOverChanged();
  return shareable(context, `✅ ${context.texts.updated(renderAgentLine(updated, context))}`);
}

const update = defineAction({
  description: 'agent update',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption, ...agentOptions },
  async run(context, { agent, ...given }) {
    const typed = typedSettings(agent);
    // An initial value that nobody touched is not a change, however it would be parsed.
    const touched: Given = Object.fromEntries(
      Object.entries(given).filter(([name]) => context.raw[name] !== typed[name]),
    );
    const wanted = toUpdate(touched, agent, context.texts);
    return typeof wanted === 'string' ? wanted : change(context, agent, wanted);
  },
  initialValues: ({ agent }) => (agent ? typedSettings(agent) : {}),
});

const enable = defineAction({
  description: 'agent enable',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption },
  run: (context, { agent }) => change(context, agent, { enabled: true }),
});

const disable = defineAction({
  description: 'agent disable',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption },
  run: (context, { agent }) => change(context, agent, { enabled: false }),
});

const sources = defineAction({
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
  async run(context, { agent, sources, 'all-sources': all }) {
    if (!sources?.length && all === undefined) return context.texts.agent.sourcesOrAll;
    return change(context, agent, {
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
  const present = settingsOf(agent);
  const variables =
    given.variables === undefined ? undefined : parseVariables(given.variables, present.variables);
  if (variables && 'wrong' in variables)
    return texts.wrongVariable(escapeMarkdown(variables.wrong));
  const tags = given.tags === undefined ? undefined : parseTags(given.tags, present.tags);
  if (tags && 'wrong' in tags) return texts.wrongTag(escapeMarkdown(tags.wrong));
  const escalation = present.human_escalation_settings;
  const handover = toHandover(given, escalation.monitored_messages);
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
      human_escalation_settings: { ...escalation, ...handover },
    }),
  };
}

function toHandover(
  given: Given,
  present: readonly string[],
): NonNullable<AgentUpdate['human_escalation_settings']> {
  const { monitored, notifications, sound } = given;
  const { 'handover-message': message, 'handover-start': start, 'handover-end': end } = given;
  return {
    ...(message !== undefined && { human_requested_message: emptied(message) }),
    ...(start !== undefined && { live_chat_start_announcement: emptied(start) }),
    ...(end !== undefined && { live_chat_end_announcement: emptied(end) }),
    ...(monitored !== undefined && { monitored_messages: parseMessages(monitored, present) }),
    ...(notifications !== undefined && { notifications_enabled: notifications }),
    ...(sound !== undefined && { sound_enabled: sound }),
  };
}

/** `/agent`: who answers within a chatbot, with which prompt, model and sources. */
export const agent: Command = {
  name: 'agent',
  description: 'agent',
  actions: { list, show, create, update, enable, disable, sources, delete: deleteAgent },
};
