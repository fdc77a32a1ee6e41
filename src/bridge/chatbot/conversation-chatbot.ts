import { z } from 'zod';
import { type Agent, findHandOverAgent } from '../../shared/api/agent.ts';
import {
  joinContext,
  type Message,
  parseCitations,
  replyFailure,
  splitContext,
} from '../../shared/api/session.ts';
import type { Chatbot, HandOverSettings, Source, StoredReply } from '../conversation/chatbot.ts';
import { recognizeProblem } from '../../shared/problems/problem.ts';
import { withTimeLimit } from '../../shared/primitives/time.ts';
import type { ChatbotClient } from './chatbot-client.ts';

/** How long a conversation waits for the service, in ms. */
export interface ServiceLimits {
  /** For the first piece of a reply. Default: `timeoutMs`. */
  firstTextMs?: number;
  /** For a call, its retries included; and for each further piece of a reply. */
  timeoutMs: number;
  /** For a whole reply. */
  maxReplyMs: number;
}

/** The chatbot as conversations use it: every wait has a limit. */
export function createConversationChatbot(
  client: ChatbotClient,
  { firstTextMs, timeoutMs, maxReplyMs }: ServiceLimits,
): Chatbot {
  return {
    async createSession(chatbot, signal) {
      const create = (limited: AbortSignal) => client.createSession(chatbot, limited);
      const { uuid: session, takesKeys } = await withTimeLimit(timeoutMs, signal, create);
      return { session, takesKeys };
    },
    reply: (session, asked, signal) =>
      client.streamReply(session, joinContext(asked), {
        signal,
        key: asked.key,
        firstMs: firstTextMs,
        silenceMs: timeoutMs,
        totalMs: toLeftMs(maxReplyMs, asked.sentAt),
      }),
    async stopReply(session, key, signal) {
      const options = { params: { uuid: session }, body: { idempotency_key: key } };
      await withTimeLimit(timeoutMs, signal, (limited) =>
        client.call('stopMessage', { ...options, signal: limited }),
      );
    },
    async lastReply(session, signal) {
      const read = (limited: AbortSignal) => client.newestMessage(session, limited);
      const newest = await withTimeLimit(timeoutMs, signal, read);
      return newest && toStoredReply(newest);
    },
    async handOver(chatbot, signal) {
      const list = (limited: AbortSignal) => client.listAgents(chatbot, limited);
      return toHandOverSettings(await withTimeLimit(timeoutMs, signal, list));
    },
  };
}

/** What is left of the time for a reply, at least a moment. */
function toLeftMs(maxMs: number, sentAt = Date.now()): number {
  return Math.max(1_000, sentAt + maxMs - Date.now());
}

function toHandOverSettings(agents: readonly Agent[]): HandOverSettings | undefined {
  const agent = findHandOverAgent(agents);
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

/** The field ends a complete reply with `stop`, and one cut at its max length with `length`. */
function toStoredReply(message: Message): StoredReply {
  return {
    id: message.uuid,
    query: splitContext(message.query).query,
    response: message.response,
    sources: toSources(message),
    state: toState(message),
    unanswered: readMeta(message).unanswered,
    failure: recognizeProblem(replyFailure(message)),
    reason: readMeta(message).interrupted ? undefined : message.error_message || undefined,
  };
}

function toState(message: Message): StoredReply['state'] {
  const { finish_reason: reason, error_message: error } = message;
  if (error !== '' || readMeta(message).interrupted) return 'partial';
  if (reason === 'length') return 'cut';
  return reason === 'stop' ? 'whole' : 'running';
}

/** What only the built-in service tells of a reply. */
const Meta = z.object({
  /** It stopped writing the reply. */
  interrupted: z.literal(true).optional().catch(undefined),
  /** It found no source. */
  unanswered: z.object({ nearest: z.string().optional() }).optional().catch(undefined),
});

function readMeta({ meta_json: meta }: Message): z.infer<typeof Meta> {
  try {
    return Meta.safeParse(JSON.parse(meta)).data ?? {};
  } catch {
    return {};
  }
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
