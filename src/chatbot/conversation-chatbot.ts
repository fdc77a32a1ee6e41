import type { Agent } from '../api/agent.ts';
import { parseCitations, type Message } from '../api/message.ts';
import { joinContext, splitContext } from '../api/query-context.ts';
import type { Chatbot, HandOverSettings, Source, StoredReply } from '../conversation/ports.ts';
import type { ChatbotClient } from './chatbot-client.ts';

/** The client as the core sees it. */
export function createConversationChatbot(client: ChatbotClient): Chatbot {
  return {
    async createSession(chatbot, signal) {
      return (await client.createSession(chatbot, signal)).uuid;
    },
    reply: (session, asked, signal) => client.streamReply(session, joinContext(asked), signal),
    async lastReply(session, signal) {
      const newest = await client.newestMessage(session, signal);
      return newest && toStoredReply(newest);
    },
    async handOver(chatbot, signal) {
      return toHandOverSettings(await client.listAgents(chatbot, signal));
    },
  };
}

/**
 * The settings of the enabled agent with the hand-over type, whatever they contain. Otherwise those
 * of the first enabled agent with any hand-over text (docs/decisions/0007-hand-over.md).
 */
function toHandOverSettings(agents: readonly Agent[]): HandOverSettings | undefined {
  const enabled = agents.filter((agent) => agent.enabled);
  const agent =
    enabled.find(({ type }) => type === 'human-escalation') ?? enabled.find(hasHandOverTexts);
  if (!agent) return undefined;
  const { human_escalation_settings: settings } = agent;
  return {
    monitored: settings?.monitored_messages ?? [],
    says: {
      requested: settings?.human_requested_message.trim() ?? '',
      started: settings?.live_chat_start_announcement.trim() ?? '',
      ended: settings?.live_chat_end_announcement.trim() ?? '',
    },
    notifies: settings?.notifications_enabled ?? false,
  };
}

/** The notification switch is ignored: in the field it is often on where nothing else is set. */
function hasHandOverTexts({ human_escalation_settings: settings }: Agent): boolean {
  if (!settings) return false;
  const texts = [
    settings.human_requested_message,
    settings.live_chat_start_announcement,
    settings.live_chat_end_announcement,
    ...settings.monitored_messages,
  ];
  return texts.some((text) => text.trim() !== '');
}

/** The field ends a complete reply with `stop`, and one cut at its max length with `length`. */
function toStoredReply(message: Message): StoredReply {
  return {
    id: message.uuid,
    query: splitContext(message.query).query,
    response: message.response,
    sources: toSources(message),
    state: toState(message),
  };
}

function toState({ finish_reason: reason, error_message: error }: Message): StoredReply['state'] {
  if (error !== '') return 'partial';
  if (reason === 'length') return 'cut';
  return reason === 'stop' ? 'whole' : 'partial';
}

/** In the field, titles are sometimes empty; a web page's file name is its address. */
function toSources(message: Message): Source[] {
  const citations = [...parseCitations(message.cite_data_json)];
  return citations
    .filter(([marker]) => message.response.includes(`[${marker}]`))
    .map(([marker, citation]) => ({
      marker,
      title: citation.title || citation.file_name || 'Untitled source',
      quote: citation.text,
      ...(/^https?:\/\//.test(citation.file_name) && { url: citation.file_name }),
    }));
}
