import { createCache } from '../../../shared/primitives/cache.ts';
import { toBatches } from '../../../shared/primitives/iterables.ts';
import type { CommandContext, CommandTools } from '../command.ts';
import type { Referenced, ReferenceKind } from '../option.ts';
import { findGaps } from '../gaps.ts';
import { listChatbots, tenantKey } from '../registry/registry-chatbots.ts';
import { findSessions, firstQuestion } from '../session/choose-session.ts';

/** Something that an option can refer to. */
export interface Entry<Kind extends ReferenceKind = ReferenceKind> {
  uuid: string;
  /** A session has no name: this is its first question or, if that is not known, the alias. */
  name: string;
  /** Another name: a source's file name or URL, the start of a session's uuid. */
  alias?: string;
  createdAt: string;
  thing: Referenced[Kind];
}

/** Lists the things that options can refer to where a command is used. */
export interface Directory {
  /**
   * Newest first.
   * @throws {ChatbotError}
   */
  list<Kind extends ReferenceKind>(kind: Kind, context: CommandContext): Promise<Entry<Kind>[]>;
  /** Like `list`, but cached for a few seconds: for suggestions while someone types. */
  listRecent(kind: ReferenceKind, context: CommandContext): Promise<Entry[]>;
}

const freshMs = 5_000;
const maxRecent = 100;

/** Length of the uuid prefix that serves as a session's alias. */
const shortUuid = 8;

/** Older sessions are offered by their alias: for each name, the service is asked. */
const maxNamed = 50;
const namedAtOnce = 10;
const maxQuestions = 1_000;
/** A question may be deleted. */
const questionFreshMs = 60_000;

export function createDirectory(
  tools: Omit<CommandTools, 'fileLimits' | 'settings' | 'managers' | 'notify' | 'sleep'>,
): Directory {
  const { client, bindings, monotonicMs: now } = tools;
  const recent = createCache<Entry[]>({ max: maxRecent, freshMs, now });
  /** The first questions of sessions. */
  const questions = createCache<string | undefined>({
    max: maxQuestions,
    freshMs,
    freshMsOf: (question) => (question === undefined ? freshMs : questionFreshMs),
    now,
  });

  const readers: { [Kind in ReferenceKind]: Reader<Kind> } = {
    source: async (chatbot, { signal }) =>
      (await client.listDataSources(chatbot, signal)).map((source) =>
        toEntry<'source'>(source, source.title || source.file_name, source.file_name),
      ),
    tag: async (chatbot, { signal }) =>
      (await client.listSourceTags(chatbot, signal)).map((tag) => toEntry<'tag'>(tag, tag.name)),
    agent: async (chatbot, { signal }) =>
      (await client.listAgents(chatbot, signal)).map((agent) =>
        toEntry<'agent'>(agent, agent.name),
      ),
    chatbot: async (_, context) =>
      (await listChatbots({ ...tools, ...context })).map((chatbot) =>
        toEntry<'chatbot'>(chatbot, chatbot.name),
      ),
    async session(chatbot, context) {
      const sessions = await client.listSessions(chatbot, {}, context.signal);
      const found = await findSessions({ ...tools, ...context }, sessions, 'suggest');
      const named = new Map<string, string | undefined>();
      for (const batch of toBatches(found.slice(0, maxNamed), namedAtOnce)) {
        await Promise.all(
          batch.map(async ({ session: { uuid } }) => {
            const read = () => firstQuestion(uuid, { client, signal: context.signal });
            named.set(uuid, await questions.get(uuid, read));
          }),
        );
      }
      return found.toReversed().map(({ session }) => {
        const alias = session.uuid.slice(0, shortUuid);
        return toEntry<'session'>(session, named.get(session.uuid) ?? alias, alias);
      });
    },
    async gap(_, context) {
      const { readable } = await findGaps({ ...tools, ...context });
      return readable.map((gap) => toEntry<'gap'>(gap, gap.query));
    },
  };

  async function list<Kind extends ReferenceKind>(kind: Kind, context: CommandContext) {
    const chatbot = await bindings.chatbotFor(context);
    const entries = await readers[kind](chatbot, context);
    // Times are whole seconds, and services list the oldest first.
    return entries.toReversed().toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  return {
    list,
    async listRecent(kind, context) {
      const { channel, thread, requester } = context;
      // Which sessions and open questions there are depends on who asks, and where.
      const isPersonal = kind === 'session' || kind === 'gap';
      const forWhom = isPersonal ? [channel, thread?.thread, requester.id] : [];
      const [tenant, chatbot] = await Promise.all([
        tenantKey({ ...tools, ...context }),
        bindings.chatbotFor(context),
      ]);
      const key = JSON.stringify([kind, tenant, chatbot, ...forWhom]);
      return recent.get(key, () => list(kind, context));
    },
  };
}

type Reader<Kind extends ReferenceKind> = (
  chatbot: string,
  context: CommandContext,
) => Promise<Entry<Kind>[]>;

function toEntry<Kind extends ReferenceKind>(
  thing: Referenced[Kind] & { uuid: string; created_at: string },
  name: string,
  alias?: string,
): Entry<Kind> {
  return { uuid: thing.uuid, name, ...(alias && { alias }), createdAt: thing.created_at, thing };
}
