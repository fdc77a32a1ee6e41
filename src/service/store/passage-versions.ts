import type { DatabaseSync } from 'node:sqlite';
import type { Steps } from '../../shared/primitives/steps.ts';
import { createUuid } from '../identifiers.ts';
import { indexVersion } from '../retrieval/terms.ts';
import { atomically } from './database.ts';
import type { PassageIndex } from './passage-index.ts';
import type { PassageChanges } from './seen-passages.ts';

/** The source of a passage, for citations. */
export interface PassageSource {
  uuid: string;
  title: string;
  file_name: string;
  type: string;
}

/**
 * Versions of the passages of a source: a live one, which search sees, and drafts, which it does
 * not. So a source keeps its passages until new ones are whole.
 */
export interface PassageVersions {
  /**
   * Begins a new version of a source's passages, which search does not see yet.
   *
   * @returns the draft's own uuid, to add passages to it as to a source
   */
  draft(chatbot: string, source: PassageSource): string;
  /** Replaces a source's passages by those of its draft, at once. */
  publish(draftUuid: string, nowMs: number): void;
  /** When a source's passages were published, in ms since the epoch; undefined if it has none. */
  publishedMs(sourceUuid: string): number | undefined;
  /** Hides a source or draft with all its passages for good; `deleteHidden` deletes them. */
  remove(sourceUuid: string): void;
  /** Hides the drafts that an earlier process left. */
  removeDrafts(): void;
  /** Deletes passages that are hidden for good, a few per step. */
  deleteHidden(): Steps<void>;
}

/** A new uuid frees that of the source for the next version. */
const asRetired = `state = 'retired', draft_of = NULL, uuid = lower(hex(randomblob(16)))`;

/** Number of passages deleted per step. */
const batchSize = 10;

export function createPassageVersions(
  database: DatabaseSync,
  index: Pick<PassageIndex, 'removeSome'>,
  changes: Pick<PassageChanges, 'add'>,
): PassageVersions {
  const getSource = database.prepare('SELECT * FROM passage_source WHERE uuid = ?');
  const putDraft = database.prepare(`
    INSERT INTO passage_source (chatbot, uuid, title, file_name, type, tokens_version, state, draft_of)
    VALUES (?, ?, ?, ?, ?, ${indexVersion}, 'draft', ?)
  `);
  const publish = database.prepare(
    `UPDATE passage_source SET uuid = draft_of, state = 'live', draft_of = NULL, published_ms = ?
     WHERE uuid = ? AND state = 'draft'`,
  );
  const retire = database.prepare(`UPDATE passage_source SET ${asRetired} WHERE uuid = ?`);
  const retireDrafts = database.prepare(
    `UPDATE passage_source SET ${asRetired} WHERE state = 'draft'`,
  );
  const getRetired = database.prepare(
    "SELECT number FROM passage_source WHERE state = 'retired' ORDER BY number LIMIT 1",
  );
  const removeSome = database.prepare(
    'DELETE FROM passage WHERE id IN (SELECT id FROM passage WHERE source = ? ORDER BY id LIMIT ?)',
  );
  const removeSource = database.prepare('DELETE FROM passage_source WHERE number = ?');

  return {
    draft(chatbot, { uuid, title, file_name, type }) {
      const draft = createUuid();
      putDraft.run(chatbot, draft, title, file_name, type, uuid);
      return draft;
    },

    publish(draftUuid, nowMs) {
      const draft = getSource.get(draftUuid);
      if (draft?.state !== 'draft') throw new Error(`No draft ${draftUuid}`);
      atomically(database, () => {
        changes.add(String(draft.chatbot));
        retire.run(draft.draft_of ?? null);
        publish.run(nowMs, draftUuid);
      });
    },

    publishedMs(sourceUuid) {
      const source = getSource.get(sourceUuid);
      return source && Number(source.passages) > 0 ? Number(source.published_ms) : undefined;
    },

    remove(sourceUuid) {
      const source = getSource.get(sourceUuid);
      if (source === undefined) return;
      atomically(database, () => {
        changes.add(String(source.chatbot));
        retire.run(sourceUuid);
      });
    },

    removeDrafts() {
      retireDrafts.run();
    },

    *deleteHidden() {
      for (;;) {
        const number = getRetired.get()?.number;
        if (number === undefined) return;
        for (let deleted = batchSize; deleted === batchSize;) {
          atomically(database, () => {
            index.removeSome(Number(number), batchSize);
            deleted = Number(removeSome.run(number, batchSize).changes);
          });
          yield;
        }
        removeSource.run(number);
      }
    },
  };
}
