import { type Agent, AgentType } from '../../../shared/api/agent.ts';
import { type ActionContext, type Command, defineAction, type Outcome } from '../command.ts';
import { askToConfirm, fold, foldable, pageOption, renderPage, shareable } from '../outcomes.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import { agentOption, disable, enable, sources, update } from './updating.ts';
import {
  renderAgent,
  renderAgentLine,
  settingsOf,
  agentOptions,
  parseTags,
} from './agent-settings.ts';

const maxPromptLength = 1_500;

/** The names of an agent's sources, without deleted ones. */
async function sourceNames(agent: Agent, context: ActionContext): Promise<string[]> {
  if (agent.meta.use_all_sources || agent.data_source_uuids.length === 0) return [];
  const chatbot = await context.bindings.chatbotFor(context);
  const all = await context.client.listDataSources(chatbot, context.signal);
  return all
    .filter(({ uuid }) => agent.data_source_uuids.includes(uuid))
    .map(({ title, file_name: file }) => escapeMarkdown(title || file));
}

const list = defineAction({
  description: 'agent list',
  shownTo: 'private',
  options: {
    page: pageOption,
  },
  async *run(context, { page }) {
    const chatbot = await context.bindings.chatbotFor(context);
    const agents = await context.client.listAgents(chatbot, context.signal);
    yield renderPage(context, {
      command: 'agent',
      action: 'list',
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
  async *run(context, { agent }) {
    yield renderWhole(agent, await sourceNames(agent, context), context);
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
  async *run(context, given) {
    const { name, type, description, prompt, model, temperature, tags: typed } = given;
    const { 'all-sources': allSources } = given;
    const tags = typed === undefined ? undefined : parseTags(typed);
    if (tags && 'wrong' in tags) {
      yield context.texts.agent.wrongTag(escapeMarkdown(tags.wrong));
      return;
    }
    const body = {
      name,
      type,
      ...(description !== undefined && { description }),
      ...(prompt !== undefined && { prompt }),
      ...(model !== undefined && { model }),
      ...(temperature !== undefined && { temperature }),
      ...(allSources !== undefined && { use_all_sources: allSources }),
      ...(tags && { tags: tags.items }),
    };
    const chatbot = await context.bindings.chatbotFor(context);
    const agent = await context.client.createAgent(chatbot, body, context.signal);
    context.changed({ what: { uuid: agent.uuid, name: agent.name }, after: body });
    const { texts, slash } = context;
    const created = texts.agent.created(`**${escapeMarkdown(name)}**`, slash('agent enable'));
    const title = agent.enabled ? texts.updated(`**${escapeMarkdown(name)}**`) : created;
    const made = renderAgent(agent, { sources: [], prompt: '' }, context);
    yield shareable(context, `✅ ${title}\n\n${made}`);
  },
});

const deleteAgent = defineAction({
  description: 'agent delete',
  shownTo: 'private',
  managersOnly: true,
  options: { agent: agentOption },
  async *run(context, { agent }) {
    const { texts, confirmed } = context;
    const { uuid, name, type } = agent;
    const title = `**${escapeMarkdown(name)}**`;
    if (!confirmed) {
      const chatbot = await context.bindings.chatbotFor(context);
      const agents = await context.client.listAgents(chatbot, context.signal);
      const answering = agents.filter((each) => each.enabled && each.type === 'user-facing');
      const isLast = answering.length === 1 && answering[0]?.uuid === uuid;
      yield askToConfirm(context, {
        command: 'agent',
        action: 'delete',
        question: texts.agent.deleteAsk(title, isLast),
        label: texts.deleteLabel,
        values: { agent: uuid },
      });
      return;
    }
    await context.client.deleteAgent(uuid, context.signal);
    context.changed({ what: { uuid, name }, before: { type, ...settingsOf(agent) } });
    yield `🗑️ ${texts.deleted(title)}`;
  },
});

function renderWhole(agent: Agent, sources: readonly string[], context: ActionContext): Outcome {
  const prompt = fold(context, agent.prompt, { maxLength: maxPromptLength, file: 'prompt.md' });
  const markdown = renderAgent(agent, { sources, prompt: prompt.text }, context);
  const use = { command: 'agent', action: 'show' };
  return foldable(context, use, shareable(context, markdown), [prompt]);
}

/** `/agent`: who answers within a chatbot, with which prompt, model and sources. */
export const agent: Command = {
  name: 'agent',
  description: 'agent',
  actions: { list, show, create, update, enable, disable, sources, delete: deleteAgent },
};
