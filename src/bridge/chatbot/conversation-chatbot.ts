import { z } from 'zod';
import { createCache } from '../../shared/primitives/cache.ts';
import type { DataSource } from '../../shared/api/data-source.ts';
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
import { isChatbotError, isNoSuchOperation } from '../conversation/errors.ts';
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
  const ages = createCache<ReadonlyMap<string, number>>({ max: 20, freshMs, now: Date.now });

  /** When each source of a chatbot was last changed, in ms; empty if the service doesn't tell in time. */
  const agesOf = (chatbot: string, signal: AbortSignal) =>
    ages.get(chatbot, async () => {
      const list = (limited: AbortSignal) => client.listDataSources(chatbot, limited);
      try {
        return toAges(await withTimeLimit(Math.min(timeoutMs, maxWaitMs), signal, list));
      } catch {
        signal.throwIfAborted();
        return noAges;
      }
    });

  const limit = <Result>(signal: AbortSignal, task: (limited: AbortSignal) => Promise<Result>) =>
    withTimeLimit(timeoutMs, signal, task);

  const listReplies: Chatbot['listReplies'] = async (session, signal) => {
    try {
      const all = await limit(signal, (limited) => client.listMessages(session, limited));
      return all.map(({ uuid: id, query }) => ({ id, query: splitContext(query).query }));
    } catch (error) {
      if (isChatbotError(error, 'not_found')) return [];
      throw error;
    }
  };

  return {
    async createSession(chatbot, signal) {
      const create = (limited: AbortSignal) => client.createSession(chatbot, limited);
      const { uuid: session, takesKeys } = await limit(signal, create);
      return { session, takesKeys };
    },
    reply: (session, asked, signal) =>
      client.streamReply(session, joinContext(asked), {
        signal,
        key: asked.key,
        onKeyIgnored: asked.onKeyIgnored,
        documents: asked.documents,
        firstMs: firstTextMs,
        silenceMs: timeoutMs,
        totalMs: toLeftMs(maxReplyMs, asked.sentAt),
      }),
    takesKeys: (session, signal) => limit(signal, (limited) => client.takesKeys(session, limited)),
    async addDocument(file, signal) {
      return (await client.uploadSessionDocument(file, signal)).uuid;
    },
    async stopReply(session, key, signal) {
      const options = { params: { uuid: session }, body: { idempotency_key: key } };
      await limit(signal, (limited) => client.call('stopMessage', { ...options, signal: limited }));
    },
    async lastReply(session, signal, chatbot) {
      const read = (limited: AbortSignal) => client.newestMessage(session, limited);
      const newest = await limit(signal, read);
      if (!newest) return undefined;
      const sources = toSources(newest);
      const isDated = sources.every(({ updatedMs }) => updatedMs !== undefined);
      const ages = isDated || chatbot === undefined ? noAges : await agesOf(chatbot, signal);
      const dated = sources.map(({ uuid, ...source }) => ({
        ...source,
        updatedMs: source.updatedMs ?? ages.get(uuid),
      }));
      return toStoredReply(newest, dated);
    },
    listReplies,
    async deleteReplies(session, { ids, isAll }, signal) {
      if (isAll && (await isDone(limit(signal, (at) => client.deleteSession(session, at)))))
        return 0;
      let isSure = true;
      for (const uuid of ids) {
        const params = { uuid };
        const deletion = limit(signal, (at) =>
          client.call('deleteMessage', { params, signal: at }),
        );
        isSure = (await isDone(deletion)) && isSure;
      }
      if (isSure) return 0;
      // It is gone already, or the service does not have the operation.
      return (await listReplies(session, signal)).filter(({ id }) => ids.includes(id)).length;
    },
    async handOver(chatbot, signal) {
      const list = (limited: AbortSignal) => client.listAgents(chatbot, limited);
      return toHandOverSettings(await limit(signal, list));
    },
  };
}

/** Whether something was deleted: what is gone, or can't be deleted, was not. */
async function isDone(deletion: Promise<unknown>): Promise<boolean> {
  try {
    await deletion;
    return true;
  } catch (error) {
    if (isNoSuchOperation(error)) return false;
    throw error;
  }
}

/** What is left of the time for a reply, at least a moment. */
function toLeftMs(maxMs: number, sentAt = Date.now()): number {
  return Math.max(1_000, sentAt + maxMs - Date.now());
}

/** How long the ages of sources are kept, and at most waited for. */
const freshMs = 10 * 60_000;
const maxWaitMs = 2_000;
const noAges: ReadonlyMap<string, number> = new Map();

function toAges(sources: readonly DataSource[]): ReadonlyMap<string, number> {
  const dated = sources.map(({ uuid, modified_at }) => [uuid, Date.parse(modified_at)] as const);
  return new Map(dated.filter(([, ms]) => ms > 0));
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
function toStoredReply(message: Message, sources: Source[]): StoredReply {
  return {
    id: message.uuid,
    query: splitContext(message.query).query,
    response: message.response,
    sources,
    state: toState(message),
    unanswered: readMeta(message).unanswered,
    isWeak: readMeta(message).weak,
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
  /** It says that it may not answer the question. */
  weak: z.literal(true).optional().catch(undefined),
  /** By marker, the page of a citation, and when its source was last read. */
  cited: z
    .record(
      z.string(),
      z.object({ page: z.number().optional(), modified_at: z.string().optional() }),
    )
    .optional()
    .catch(undefined),
});

function readMeta({ meta_json: meta }: Message): z.infer<typeof Meta> {
  try {
    return Meta.safeParse(JSON.parse(meta)).data ?? {};
  } catch {
    return {};
  }
}

/** In the field, titles are sometimes empty; a web page's file name is its address. */
function toSources(message: Message): (Source & { uuid: string })[] {
  const { cited = {} } = readMeta(message);
  const citations = [...parseCitations(message.cite_data_json)];
  return citations
    .filter(([marker]) => message.response.includes(`[${marker}]`))
    .map(([marker, citation]) => ({
      uuid: citation.data_source_uuid,
      marker,
      title: citation.title || citation.file_name || 'Untitled source',
      quote: citation.text,
      ...toAge(cited[marker]),
      ...(/^https?:\/\//.test(citation.file_name) && { url: citation.file_name }),
    }));
}

function toAge({ page, modified_at: at = '' }: { page?: number; modified_at?: string } = {}) {
  const updatedMs = Date.parse(at);
  return { page, updatedMs: updatedMs > 0 ? updatedMs : undefined };
}
