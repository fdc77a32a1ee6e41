import type { Texts } from '../texts/texts.ts';
import { type ThreadAddress, workspaceKey } from './address.ts';
import type { KeyedStore } from './keyed-store.ts';
import type { Author } from './platform.ts';
import type { Questions, Spent } from './questions.ts';
import type { Settings } from './settings.ts';
import type { Tenancy } from './tenancy.ts';

/** Who asks where. */
interface Asker {
  address: ThreadAddress;
  author: Author;
}

/** How a person reads times, as `createFormats` takes it. */
interface Reader {
  locale?: string;
  timeZone?: string;
  renderMoment?: (seconds: number) => string;
}

/** Whether a question is asked, by how many there were. All but `explain` rejects when the store is down. */
export interface Admission {
  /** Counts a question, once however often it is asked. Resolves with what keeps it from being asked. */
  count(id: string, asker: Asker): Promise<Spent | undefined>;
  /** What would keep a question from being asked now. */
  check(asker: Asker): Promise<Spent | undefined>;
  /** Whether to tell the asker, who is told once until it is over. Bots are told nothing. */
  isNews(spent: Spent, asker: Asker): Promise<boolean>;
  /** Says what is used up, and when asking works again. */
  explain(spent: Spent, reader: Reader, texts: Texts): string;
}

export function createAdmission(options: {
  questions: Pick<Questions, 'count' | 'spent'>;
  settings: Pick<Settings, 'of'>;
  tenancy: Pick<Tenancy, 'tenantOf'>;
  /** Who was told of what. */
  told: KeyedStore<true>;
  renderTime(timestamp: string, reader: Reader): string;
}): Admission {
  const { questions, settings, tenancy, told, renderTime } = options;

  async function find({ address, author }: Asker) {
    const tenant = (await tenancy.tenantOf(address)) ?? address;
    const { limits = {} } = await settings.of(tenant);
    return [{ address, author, tenant }, limits] as const;
  }

  return {
    count: async (id, asker) => questions.count(id, ...(await find(asker))),
    check: async (asker) => questions.spent(...(await find(asker))),
    async isNews(spent, { address, author }) {
      if (spent.scope === 'bots' || author.bot) return false;
      const key = `${workspaceKey(address)}:${author.id}:${spent.scope}`;
      const leftMs = Math.max(1, spent.untilMs - Date.now());
      const { before } = await told.update(key, () => true, leftMs);
      return before === undefined;
    },
    explain(spent, reader, { access }) {
      if (spent.scope === 'bots') return '';
      // Times are shown to the minute.
      const again = new Date(Math.ceil(spent.untilMs / 60_000) * 60_000);
      return access.spent[spent.scope](renderTime(again.toISOString(), reader));
    },
  };
}

/** A question was not asked; the message says to its asker why. */
export class NotAskedError extends Error {
  override readonly name = 'NotAskedError';
}
