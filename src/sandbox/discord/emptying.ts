import { Intent } from './gateway/intents.ts';
import type { DiscordState } from './state.ts';

/** Deletes what people and the bot said. */
export interface Emptying {
  /** How much there is to delete. */
  contents(): { messages: number; threads: number; files: number };
  /** Deletes all messages, threads and files. People, channels and commands stay. */
  empty(): void;
}

export function createEmptying(state: DiscordState): Emptying {
  const { documents, attachments, changes } = state;
  const threads = () => documents.channels.list().filter(({ thread }) => thread !== undefined);
  return {
    contents: () => ({
      messages: documents.messages.count(),
      threads: threads().length,
      files: documents.attachments.count(),
    }),
    empty() {
      attachments.delete(documents.attachments.list().map(({ id }) => id));
      documents.messages.trim(0);
      documents.revisions.trim(0);
      for (const { id, parent, guild, type } of threads()) {
        documents.channels.delete(id);
        const data = { id, guild_id: guild ?? state.guild, parent_id: parent, type };
        state.dispatch({ name: 'THREAD_DELETE', data, intent: Intent.Guilds });
      }
      changes.announce({ kind: 'emptied' });
    },
  };
}
