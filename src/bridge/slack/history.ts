import { z } from 'zod';
import { isRefusal } from '../conversation/errors.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { type ThreadAddress, workspaceKey } from '../conversation/address.ts';
import type { Log } from '../../shared/primitives/log.ts';
import type { Spoken } from '../conversation/thread.ts';
import type { Clients, Identity } from './clients.ts';
import { toPlatformError } from './errors.ts';
import { forwards, namesOf } from './incoming-message.ts';
import { mentionedUsers, toReadableText } from './message-text.ts';
import type { People } from './people.ts';

/** A workspace in which Slack limits how an app reads, and when that was noticed, in ms since the epoch. */
export interface HistoryLimit {
  noticedAt: number;
}

interface HistoryTools {
  clients: Clients;
  identity: () => Identity;
  people: People;
  /** By the key of the workspace. */
  historyLimits?: KeyedStore<HistoryLimit>;
  log: Log;
  /** Milliseconds. */
  now: () => number;
}

/** A message as conversations.replies and conversations.history tell it. */
const shownMessage = z.object({
  subtype: z.enum(['file_share', 'thread_broadcast', 'me_message', 'bot_message']).optional(),
  ts: z.string().min(1),
  text: z.string().default(''),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  username: z.string().optional(),
  bot_profile: z.object({ name: z.string() }).optional(),
  attachments: forwards,
});
type ShownMessage = z.infer<typeof shownMessage>;

const pageLength = 200;
/** The newest messages of a thread are on its last page, so in longer threads they are missed. */
const maxPages = 10;

/**
 * For commercially distributed apps outside the Marketplace, Slack cuts a page to 15 messages, and
 * allows one call a minute: docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 * Other apps may make fifty.
 */
const cutLength = 15;
const usualCalls = 25;
const minuteMs = 60_000;
/** The limit is forgotten if it is not noticed again. */
const limitKeptMs = 30 * 24 * 60 * minuteMs;

/** Reads what others said before a message, and notices how Slack limits that. */
export function createHistory(tools: HistoryTools) {
  const { clients, identity, people, historyLimits, log, now } = tools;
  /** When calls were made within the last minute. */
  let calls: number[] = [];

  async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    calls = calls.filter((at) => at > now() - minuteMs);
    try {
      const answer = await call();
      calls.push(now());
      return answer;
    } catch (caught) {
      const error = toPlatformError(caught, 'channels:history');
      if (isRefusal(error, 'rate_limited') && calls.length > 0 && calls.length < usualCalls) {
        await notice();
      }
      throw error;
    }
  }

  /** For `npm run doctor`. */
  async function notice(): Promise<void> {
    const workspace = { platform: 'slack', workspace: identity().teamId };
    log.info(workspace, 'Slack lets the app read 15 messages a minute: npm run doctor says more');
    const limit = { noticedAt: Date.now() };
    await historyLimits
      ?.set(workspaceKey(workspace), limit, limitKeptMs)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a limit of Slack could not be stored for npm run doctor');
      });
  }

  /** Newest first, in one page. */
  async function readChannel(channel: string, latest: string, limit: number) {
    const { messages = [], has_more: more } = await ask(() =>
      clients.calls.conversations.history({ channel, latest, limit }),
    );
    if (limit > cutLength && messages.length <= cutLength && more) await notice();
    return messages.toReversed();
  }

  /** Oldest first, page after page. */
  async function readThread(channel: string, thread: string, latest: string, max: number) {
    let newest: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const at = { channel, ts: thread, latest, limit: pageLength, cursor };
      const { messages = [], response_metadata: next } = await ask(() =>
        clients.calls.conversations.replies(at),
      );
      newest = [...newest, ...messages].slice(-max);
      cursor = next?.next_cursor;
      if (!cursor) break;
      if (messages.length <= cutLength) {
        // Another page would have to wait for a minute.
        await notice();
        break;
      }
    }
    return newest;
  }

  function isOthers({ user, bot_id: bot }: ShownMessage): boolean {
    const own = identity();
    return user !== own.userId && bot !== own.botId;
  }

  /** @throws {PlatformError} */
  return async function readBefore(
    { channel, thread }: ThreadAddress,
    { message, where, max }: { message: string; where: 'thread' | 'channel'; max: number },
  ): Promise<Spoken[]> {
    const found =
      where === 'thread'
        ? await readThread(channel, thread, message, max)
        : await readChannel(channel, message, max);
    const shown = found
      .flatMap((each) => shownMessage.safeParse(each).data ?? [])
      .filter((each) => isOthers(each) && Number(each.ts) < Number(message));
    const authors = shown.flatMap(({ user = [], bot_id: bot }) => (bot === undefined ? user : []));
    const mentioned = shown.flatMap(({ text }) => mentionedUsers(text));
    const names = await namesOf([...authors, ...mentioned], people);
    const nameOf = (id: string) => names.get(id);
    return shown.map(({ ts, user = '', username, bot_profile: bot, text, attachments }) => ({
      sent: ts,
      by: user,
      name: username ?? bot?.name ?? nameOf(user) ?? (user || 'bot'),
      text: [text, ...attachments.map((each) => each.text)]
        .map((each) => toReadableText(each, nameOf))
        .join(' '),
    }));
  };
}
