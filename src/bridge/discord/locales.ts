import { type Client, Events } from 'discord.js';
import type { Log } from '../../shared/primitives/log.ts';
import { createCachedStore, type KeyedStore } from '../conversation/keyed-store.ts';

/** The languages that people use Discord in. Only interactions tell; messages don't. */
export interface Locales {
  /** Notes the language of each command, button and modal that is used. */
  listen(client: Client): void;
  /** The language of a person's last interaction; undefined if none is known. Never rejects. */
  of(person: string): Promise<string | undefined>;
}

/** As long as turns are kept. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export function createLocales(
  store: KeyedStore<string>,
  { log, now = Date.now }: { log: Log; now?: () => number },
): Locales {
  const known = createCachedStore(store, now);

  async function note(person: string, locale: string): Promise<void> {
    try {
      await known.update(person, () => locale, keptMs);
    } catch (error) {
      log.warn({ err: error }, 'the language of a person on Discord was not stored');
    }
  }

  return {
    listen(client) {
      client.on(Events.InteractionCreate, (interaction) => {
        if (interaction.isAutocomplete()) return;
        void note(interaction.user.id, interaction.locale);
      });
    },
    async of(person) {
      try {
        return await known.get(person);
      } catch (error) {
        log.warn({ err: error }, 'the language of a person on Discord was not read');
        return undefined;
      }
    },
  };
}
