import type { Records } from '../../records.ts';
import { createCollection } from '../documents.ts';
import { refusal } from '../refusals.ts';
import { parseForm } from '../validation.ts';
import { type CommandForm, commandsSchema, CommandType } from './command-schema.ts';

/** A registered command: https://docs.discord.com/developers/interactions/application-commands#application-command-object */
export type Command = CommandForm & {
  id: string;
  application_id: string;
  version: string;
  guild_id?: string;
};

/** The bot's commands: those of the server, and its global ones. */
export interface CommandRegistry {
  /** The commands of a server; without one, the global commands. */
  list(guild?: string): Command[];
  /**
   * Replaces the list.
   * @throws {DiscordRefusal} 50035 when one is not well formed, 30032 when there are too many
   */
  replace(list: unknown, guild?: string): Command[];
  /**
   * The command with this name and type (by default a slash command). A server command takes
   * precedence.
   */
  find(name: string, guild: string | undefined, type?: Command['type']): Command | undefined;
}

const maxCommandsByType = {
  [CommandType.ChatInput]: 100,
  [CommandType.User]: 15,
  [CommandType.Message]: 15,
};
const globalScope = 'everywhere';

export function createCommandRegistry(options: {
  records: Records;
  application: string;
  nextId: () => string;
  replaced: () => void;
}): CommandRegistry {
  const { records, application, nextId } = options;
  const collection = createCollection<Command>(records, 'command', ({ id, guild_id: guild }) => ({
    id,
    parent: guild ?? globalScope,
  }));
  /** By scope: every use of a command looks it up. */
  const lists = new Map<string, Command[]>();
  function list(guild = globalScope): Command[] {
    const listed = lists.get(guild) ?? collection.list(guild);
    lists.set(guild, listed);
    return listed;
  }

  return {
    list,
    replace(body, guild) {
      const forms = parseForm(commandsSchema, body);
      for (const [type, max] of Object.entries(maxCommandsByType)) {
        const count = forms.filter((form) => form.type === Number(type)).length;
        if (count > max) throw refusal(30032);
      }
      const before = list(guild);
      for (const { id } of before) collection.delete(id);
      for (const form of forms) {
        const known = before.find(({ type, name }) => type === form.type && name === form.name);
        collection.put({
          ...form,
          default_member_permissions: form.default_member_permissions ?? null,
          id: known?.id ?? nextId(),
          application_id: application,
          version: nextId(),
          ...(guild && { guild_id: guild }),
        });
      }
      lists.clear();
      options.replaced();
      return list(guild);
    },
    find(name, guild, type = CommandType.ChatInput) {
      const candidates = [...(guild ? list(guild) : []), ...list()];
      return candidates.find((command) => command.name === name && command.type === type);
    },
  };
}
