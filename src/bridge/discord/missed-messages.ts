import { type Message, RateLimitError, type TextBasedChannel } from 'discord.js';
import type { Log } from '../../shared/primitives/log.ts';
import { createQueue, type Queue } from '../../shared/primitives/queue.ts';
import { retry } from '../../shared/primitives/retry.ts';
import type { Sleep } from '../../shared/primitives/time.ts';
import { isDiscordRefusal, toPlatformError } from './errors.ts';

/** A channel, and the ids after and up to which its messages were missed. */
export interface Missed {
  channel: TextBasedChannel;
  after: bigint;
  to: bigint;
}

/** Reads what was missed in channels. */
export interface MissedMessages {
  /**
   * Reads a channel's missed messages and hands them over, before the channel's later events. A
   * failure that does not pass within half a minute is retried behind the later events, so that
   * they don't wait for it. A channel that the bot may not read is skipped.
   * @param find looks up what was missed; undefined if nothing was
   * @param first what to wait for before reading
   * @returns the id up to which nothing is missing any more, once all messages are accepted
   * @throws {unknown} the signal's reason when it aborts
   */
  read(
    channel: string,
    find: () => Promise<Missed | undefined>,
    first: () => Promise<unknown>,
  ): Promise<bigint>;
}

export interface MissedMessagesOptions {
  /** Where a channel's events wait while older messages are read. */
  arrivals: Queue;
  /** Leaves out of a channel's messages the questions that were answered. Never rejects. */
  unanswered(messages: readonly Message[]): Promise<Message[]>;
  /** Hands a message over. Resolves once it is accepted; never rejects. */
  hear(message: Message): Promise<void>;
  log: Log;
  sleep: Sleep;
  signal: AbortSignal;
}

const channelsAtOnce = 4;
const pageLength = 100;
const maxMessages = 2000;
/** After each failure; discord.js has already retried three times at once. */
const waitsMs = [1000, 2000, 4000, 8000, 16_000];
const retryMs = 60_000;
const maxLimitMs = 30_000;
const membersTimeoutMs = 10_000;

export function createMissedMessages(options: MissedMessagesOptions): MissedMessages {
  const { arrivals, unanswered, hear, log, sleep, signal } = options;
  const lanes = createQueue();
  let lane = 0;

  /**
   * Runs a call to Discord, and waits and retries at its rate limits and while it fails.
   * @throws {unknown} what Discord refused, or a failure that does not pass within half a minute
   */
  function call<Result>(task: () => Promise<Result>): Promise<Result> {
    const waits = waitsMs.values();
    return retry(task, {
      waitMs(error) {
        if (isLongLimit(error)) return undefined;
        if (error instanceof RateLimitError) return error.retryAfter;
        return isDiscordRefusal(error) ? undefined : waits.next().value;
      },
      sleep,
      signal,
    });
  }

  /**
   * A page, oldest first. An edited message has its newest text, a deleted one is missing:
   * docs.discord.com/developers/resources/message, "Get Channel Messages".
   */
  async function readPage(channel: TextBasedChannel, after: bigint): Promise<Message[]> {
    const query = { after: String(after), limit: pageLength };
    const page = await call(() => channel.messages.fetch(query));
    const messages = [...page.values()].toSorted(byId);
    await call(() => fetchAuthors(messages));
    return messages;
  }

  async function* readAll({ channel, after, to }: Missed): AsyncGenerator<Message, void> {
    let last = after;
    for (let read = 0; read < maxMessages; read += pageLength) {
      const page = await readPage(channel, last);
      yield* page.filter(({ id }) => BigInt(id) <= to);
      last = BigInt(page.at(-1)?.id ?? to);
      if (page.length < pageLength || last >= to) return;
    }
    log.warn(
      { channel: channel.id, maxMessages },
      'a channel has more missed messages than the bot reads',
    );
  }

  return {
    async read(id, find, first) {
      const own = String(lane++ % channelsAtOnce);
      const accepted: Promise<void>[] = [];
      let missed: Missed | undefined;

      async function readOn(): Promise<void> {
        missed ??= await call(find);
        if (!missed || missed.to <= missed.after) return;
        // A question's reply may be pages behind it.
        const found: Message[] = [];
        try {
          for await (const message of readAll(missed)) {
            missed.after = BigInt(message.id);
            found.push(message);
          }
        } finally {
          accepted.push(...(await unanswered(found)).map(hear));
        }
      }

      const attempt = () =>
        arrivals.run(id, async () => {
          await first();
          await lanes.run(own, readOn);
        });
      try {
        await retry(attempt, {
          waitMs(error) {
            if (signal.aborted || isDiscordRefusal(error)) return undefined;
            log.warn(
              { err: toPlatformError(error), channel: id },
              'missed messages could not be read',
            );
            return isLongLimit(error) ? error.retryAfter : retryMs;
          },
          sleep,
          signal,
        });
      } catch (error) {
        if (!isDiscordRefusal(error)) throw error;
        log.debug({ err: toPlatformError(error), channel: id }, 'a channel may not be read');
      }
      await Promise.all(accepted);
      if (accepted.length > 0) {
        log.info({ channel: id, messages: accepted.length }, 'missed messages were read');
      }
      return missed?.to ?? 0n;
    },
  };
}

/** Whether a rate limit lasts longer than the channel's later events may wait. */
function isLongLimit(error: unknown): error is RateLimitError {
  return error instanceof RateLimitError && error.retryAfter > maxLimitMs;
}

/** Unlike messages from the gateway, fetched ones come without their authors' names and roles. */
export async function fetchAuthors(messages: readonly Message[]): Promise<void> {
  const guild = messages[0]?.guild;
  if (!guild) return;
  const people = messages.filter(({ author, webhookId }) => !author.bot && !webhookId);
  const ids = new Set(people.map(({ author }) => author.id));
  const unknown = [...ids].filter((id) => !guild.members.cache.has(id));
  if (unknown.length > 0) await guild.members.fetch({ user: unknown, time: membersTimeoutMs });
}

function byId(one: Message, other: Message): number {
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
}
