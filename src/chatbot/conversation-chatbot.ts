import { parseCitations, type Message } from '../api/message.ts';
import type { Chatbot, Source, StoredReply } from '../conversation/ports.ts';
import type { ChatbotClient } from './chatbot-client.ts';

/** The client as the core sees it. */
export function createConversationChatbot(client: ChatbotClient): Chatbot {
  return {
    async createSession(chatbot, signal) {
      return (await client.createSession(chatbot, signal)).uuid;
    },
    reply: (session, query, signal) => client.streamReply(session, query, signal),
    async lastReply(session, signal) {
      const last = (await client.listMessages(session, signal)).at(-1);
      return last && toStoredReply(last);
    },
  };
}

/** The field ends a whole reply with `stop`, and one cut at its greatest length with `length`. */
function toStoredReply(message: Message): StoredReply {
  return {
    query: message.query,
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

/** Titles are empty in the field's data now and then; a web page's file name is its address. */
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
