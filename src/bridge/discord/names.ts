import type { BaseInteraction } from 'discord.js';
import type { Names } from '../commands/names.ts';

/** Looks up names of channels, members and roles in the server where a command was used. */
export function createNames({ guild }: Pick<BaseInteraction, 'guild'>): Names {
  const groups = () =>
    [...(guild?.roles.cache.values() ?? [])]
      // The role with the server's id is @everyone.
      .filter(({ id }) => id !== guild?.id)
      .map(({ id, name }) => ({ id, name: `@${name}` }));

  async function personName(id: string): Promise<string | undefined> {
    // MANAGERS also holds ids of people on other platforms.
    if (!/^\d+$/.test(id)) return undefined;
    const member = await guild?.members.fetch(id).catch(() => undefined);
    return member?.displayName;
  }

  return {
    async nameOf(kind, id) {
      if (kind === 'person') return personName(id);
      if (kind === 'group') return groups().find((group) => group.id === id)?.name;
      const channel = guild?.channels.cache.get(id);
      return channel && `#${channel.name}`;
    },
    groups: async () => groups(),
  };
}
