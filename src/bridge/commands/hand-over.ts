import { type Agent, type AgentUpdate, findHandOverAgent } from '../../shared/api/agent.ts';
import { bold, escapeMarkdown } from '../conversation/markdown/plain-text.ts';
import { hasContacts } from '../conversation/settings.ts';
import { languagesFrom } from '../texts/texts.ts';
import { settingsOf } from './agent/agent-settings.ts';
import {
  announce,
  noteWorkspace,
  renderContacts,
  withContacts,
} from './chatbot/workspace-settings.ts';
import { type ActionContext, type Command, defineAction } from './command.ts';
import { listAgents } from './lists.ts';
import { askToConfirm, differences } from './outcomes.ts';

/** As many are named as examples. */
const maxPhrases = 3;

const escalation = 'human-escalation';

/** `/handover on`: chooses who is told, and creates or enables the agent that hands over. */
const on = defineAction({
  description: 'handover on',
  shownTo: 'private',
  managersOnly: true,
  inWorkspace: true,
  options: {
    channel: { type: 'channel', description: 'handover channel', required: true },
  },
  async run(context, { channel }) {
    const { handOver, chatbot } = context.texts;
    const { contacts } = await context.settings.of(context);
    const problem =
      contacts.channel === channel
        ? undefined
        : await announce(context, channel, chatbot.notifyBegins);
    if (problem !== undefined) return problem;
    const before = await context.settings.change(context, (all) => ({
      ...all,
      contacts: withContacts(all.contacts, channel, undefined),
    }));
    noteWorkspace(context, { channel: before.contacts.channel }, { channel });
    await enable(context);
    context.threads.handOverChanged();
    return `✅ ${handOver.isOn}\n\n${await renderStatus(context)}`;
  },
});

/** Enables the agent that hands over, or creates it, with trigger phrases and notifications. */
async function enable(context: ActionContext): Promise<void> {
  const { client, bindings, signal } = context;
  const agents = await listAgents(context);
  const known = findHandOverAgent(agents) ?? agents.find(({ type }) => type === escalation);
  const chatbot = await bindings.chatbotFor(context);
  const name = context.texts.handOver.agentName;
  const agent = known ?? (await client.createAgent(chatbot, { name, type: escalation }, signal));
  const settings = settingsOf(agent).human_escalation_settings;
  const monitored = settings.monitored_messages;
  await update(context, agent, {
    enabled: true,
    human_escalation_settings: {
      ...settings,
      monitored_messages: monitored.length > 0 ? monitored : phrases(),
      notifications_enabled: true,
    },
  });
}

/** People of one workspace write in several languages. */
function phrases(): string[] {
  return languagesFrom().flatMap(({ handOver }) => handOver.phrases.split(', '));
}

/** Sends what differs, if anything does. */
async function update(context: ActionContext, agent: Agent, wanted: AgentUpdate): Promise<void> {
  const changed = differences<AgentUpdate>(settingsOf(agent), wanted);
  if (!changed) return;
  await context.client.updateAgent(agent.uuid, changed.after, context.signal);
  context.changed({ what: { uuid: agent.uuid, name: agent.name }, ...changed });
}

/** `/handover off`: disables the agent that hands over; one that also answers loses its texts. */
const off = defineAction({
  description: 'handover off',
  shownTo: 'private',
  managersOnly: true,
  options: {},
  async run(context) {
    const { handOver } = context.texts;
    const agents = await listAgents(context);
    for (let agent = findHandOverAgent(agents); agent; agent = findHandOverAgent(agents)) {
      const isOwn = agent.type === escalation;
      if (!isOwn && !context.confirmed) {
        return askToConfirm(context, {
          question: handOver.offAsk(bold(agent.name)),
          label: handOver.clear,
        });
      }
      await update(context, agent, isOwn ? { enabled: false } : withoutTexts(agent));
      agents.splice(agents.indexOf(agent), 1);
    }
    context.threads.handOverChanged();
    return `✅ ${handOver.isOff(context.slash('handover on'))}`;
  },
});

function withoutTexts(agent: Agent): AgentUpdate {
  return {
    human_escalation_settings: {
      ...settingsOf(agent).human_escalation_settings,
      human_requested_message: '',
      live_chat_start_announcement: '',
      live_chat_end_announcement: '',
      monitored_messages: [],
    },
  };
}

/** `/handover status`: whether people can ask for a person, how, and who is told. */
const status = defineAction({
  description: 'handover status',
  shownTo: 'private',
  options: {},
  run: renderStatus,
});

async function renderStatus(context: ActionContext): Promise<string> {
  const { texts, slash, settings } = context;
  const { handOver, chatbot } = texts;
  const agent = findHandOverAgent(await listAgents(context));
  if (!agent) return handOver.isOff(slash('handover on'));
  const { contacts } = await settings.of(context);
  const escalating = agent.human_escalation_settings;
  const monitored = escalating?.monitored_messages.slice(0, maxPhrases) ?? [];
  const said = monitored.map((each) => `“${escapeMarkdown(each)}”`);
  const isSilent = hasContacts(contacts) && !escalating?.notifications_enabled;
  return [
    handOver.how(texts.thread.buttons.person, said),
    await renderContacts(contacts, context),
    ...(isSilent ? [`⚠️ ${chatbot.notificationsOff(bold(agent.name))}`] : []),
  ].join('\n\n');
}

/** `/handover`: lets people talk to a person instead of the bot. */
export const handover: Command = {
  name: 'handover',
  description: 'handover',
  actions: { on, off, status },
};
