import type { webApi } from '@slack/bolt';
import type { Author, Log } from '../conversation/ports.ts';

/** A manager is whom Slack calls an admin or owner of the workspace. */
export interface Person extends Author {
  /** BCP 47, as `en-US`. */
  locale: string;
  /** As `Europe/Berlin`. */
  timeZone?: string;
}

/** Looks up who is behind an id. */
export interface People {
  /** Never rejects: a person whom Slack does not show has the id as name, and manages nothing. */
  find(id: string): Promise<Person>;
}

const mostPeople = 2_000;
const freshMs = 60 * 60 * 1000;
/** A failed look-up is tried again sooner. */
const failedMs = 60 * 1000;

/**
 * People by users.info (scope users:read), kept for an hour; of more than two thousand the one
 * asked for longest ago is forgotten.
 */
export function createPeople(options: {
  client: webApi.WebClient;
  log: Log;
  now: () => number;
}): People {
  const { client, log, now } = options;
  const known = new Map<string, { person: Promise<Person>; until: number }>();

  async function load(id: string): Promise<Person> {
    try {
      const { user } = await client.users.info({ user: id, include_locale: true });
      const name = user?.profile?.display_name || user?.real_name || user?.name || id;
      const isManager = user?.is_admin === true || user?.is_owner === true;
      const timeZone = user?.tz;
      return {
        id,
        name,
        isManager,
        locale: user?.locale ?? 'en-US',
        ...(timeZone && { timeZone }),
      };
    } catch (error) {
      log.warn({ err: error, user: id }, 'could not read a name from Slack (scope users:read)');
      const entry = known.get(id);
      if (entry) entry.until = now() + failedMs;
      return { id, name: id, isManager: false, locale: 'en-US' };
    }
  }

  return {
    find(id) {
      const entry = known.get(id);
      known.delete(id);
      const fresh =
        entry && entry.until > now() ? entry : { person: load(id), until: now() + freshMs };
      known.set(id, fresh);
      const [oldest] = known.keys();
      if (known.size > mostPeople && oldest !== undefined) known.delete(oldest);
      return fresh.person;
    },
  };
}

/** The core's view of a person. */
export function toAuthor({ id, name, isManager }: Person): Author {
  return { id, name, isManager };
}
