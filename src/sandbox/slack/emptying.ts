import type { Changes } from '../changes.ts';
import type { Records } from '../records.ts';
import type { SlackFile } from './files.ts';
import type { SlackChange } from './slack-changes.ts';
import type { Views } from './views.ts';

/** Deletes what people and the app said, without telling the app. */
export interface Emptying {
  /** How much there is to delete. */
  contents(): { messages: number; files: number };
  /** Deletes all messages and files, and closes all modals. People and channels stay. */
  empty(): void;
}

export function createEmptying(parts: {
  records: Records;
  changes: Changes<SlackChange>;
  views: Views;
  users: () => { id: string }[];
}): Emptying {
  const { records, changes, views, users } = parts;
  return {
    contents: () => ({
      messages: records.count('slack.message') + records.count('slack.ephemeral'),
      files: records.count('slack.file'),
    }),
    empty() {
      for (const { id } of records.list<SlackFile>('slack.file')) {
        records.contents.delete(`slack:${id}`);
      }
      for (const kind of ['slack.message', 'slack.revision', 'slack.ephemeral', 'slack.file']) {
        records.trim(kind, 0);
      }
      for (const { id } of users()) views.clear(id);
      changes.announce({ kind: 'emptied' });
    },
  };
}
