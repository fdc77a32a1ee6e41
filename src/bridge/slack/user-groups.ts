import type { webApi } from '@slack/bolt';
import { createCache } from '../../shared/primitives/cache.ts';
import type { Group } from '../commands/command.ts';
import { isPassingRefusal } from '../conversation/errors.ts';
import { isLostLease } from '../conversation/leases.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { toPlatformError } from './errors.ts';

/** The user groups of a workspace. Rejects only if the lease was lost. */
export interface UserGroups {
  /** All user groups, by handle; empty if Slack does not list them. */
  list(): Promise<readonly Group[]>;
  /**
   * The ids of the groups that a person is in; none if Slack refuses to list groups, undefined while it
   * can't.
   */
  of(user: string): Promise<string[] | undefined>;
}

interface UserGroup extends Group {
  people: ReadonlySet<string>;
}

const freshMs = 5 * 60 * 1000;

/**
 * User groups with their members, from usergroups.list (scope usergroups:read), cached for five
 * minutes. docs.slack.dev/reference/methods/usergroups.list.
 */
export function createUserGroups(options: {
  client: webApi.WebClient;
  log: Log;
  now: () => number;
}): UserGroups {
  const { client, log, now } = options;
  let complained = false;
  let isRefused = false;

  async function load(): Promise<UserGroup[]> {
    try {
      const { usergroups = [] } = await client.usergroups.list({ include_users: true });
      complained = false;
      isRefused = false;
      return usergroups.flatMap(({ id, handle, name, users = [] }) =>
        id ? [{ id, name: `@${handle || name || id}`, people: new Set(users) }] : [],
      );
    } catch (error) {
      // A free workspace has no groups and refuses the call. One warning is enough.
      const level = complained ? 'debug' : 'warn';
      complained = true;
      const err = toPlatformError(error, 'usergroups:read');
      isRefused = !isPassingRefusal(err);
      log[level]({ err }, 'could not read the user groups from Slack (scope usergroups:read)');
      throw err;
    }
  }

  const lookUp = createLookUp(load, { freshMs, now });
  const read = async () => (await lookUp('all')).value ?? (isRefused ? [] : undefined);

  return {
    list: async () => ((await read()) ?? []).map(({ id, name }) => ({ id, name })),
    of: async (user) =>
      (await read())?.filter(({ people }) => people.has(user)).map(({ id }) => id),
  };
}

/** What is known of a key. */
interface Found<Value> {
  /** Undefined if there is none, or if none was ever found. */
  value: Value | undefined;
  /**
   * Whether it could not be looked up; the value is then the one found before, unless that is too old
   * or Slack refuses to tell.
   */
  isFailed: boolean;
}

/** Finds the value of a key. Rejects only if the lease was lost. */
export type LookUp<Value> = (key: string) => Promise<Found<Value>>;

const maxKept = 2_000;
const anHourMs = 60 * 60 * 1000;
/** How long it counts that there is no value. */
const missingMs = 60 * 1000;
/** A failed look-up is repeated soon, but not by everyone at once; after a rate limit, when it ends. */
const failedMs = 5 * 1000;

/**
 * Caches found values for `freshMs` (an hour by default), at most 2,000 of them: beyond that, the
 * least recently used one is dropped.
 * @param find may reject with a PlatformError. If Slack is in trouble or limits the rate, the
 * look-up keeps the value found before, for an hour more; after any other refusal, there is none. Nothing
 * is kept of a call that was not made because the lease was lost.
 */
export function createLookUp<Value>(
  find: (key: string) => Promise<Value | undefined>,
  { freshMs = anHourMs, now }: { freshMs?: number; now: () => number },
): LookUp<Value> {
  type Timed = Found<Value> & { freshMs: number; foundMs: number };
  const freshMsOf = (found: Timed) => found.freshMs;
  const cache = createCache<Timed>({ max: maxKept, freshMs, freshMsOf, now });

  const load = async (key: string, before?: Promise<Timed>): Promise<Timed> => {
    try {
      const value = await find(key);
      const until = value === undefined ? missingMs : freshMs;
      return { value, isFailed: false, freshMs: until, foundMs: now() };
    } catch (error) {
      if (isLostLease(error)) throw error;
      if (!isPassingRefusal(error)) {
        return { value: undefined, isFailed: true, freshMs: missingMs, foundMs: now() };
      }
      const { retryAfterMs = failedMs } = error;
      const { value, foundMs = now() } = (await before) ?? {};
      const isTooOld = now() - foundMs > freshMs + anHourMs;
      return {
        value: isTooOld ? undefined : value,
        isFailed: true,
        freshMs: retryAfterMs,
        foundMs,
      };
    }
  };

  return (key) => cache.get(key, (before) => load(key, before));
}
