import type { DatabaseSync } from 'node:sqlite';
import { toBatches } from '../../shared/primitives/iterables.ts';
import type { Steps } from '../../shared/primitives/steps.ts';
import { readRows } from './database.ts';

/** The agent or tag that a choice of sources belongs to. */
export interface Holder {
  noun: 'agent' | 'tag';
  uuid: string;
}

/**
 * The sources that agents and tags have chosen. A choice may be long, so it is first written in steps
 * and then replaces the old one at once.
 */
export interface ChoiceStore {
  /** Writes a choice of those sources that exist, some per step, and returns its number. */
  write(sources: readonly string[]): Steps<number>;
  /** Gives a written choice to an agent or tag, replacing the one it had. */
  give(choice: number, holder: Holder): void;
  /** From now on a written choice counts as unused unless it was given. */
  release(choice: number): void;
  /** Deletes unused choices, some sources per step. */
  deleteUnused(): Steps<void>;
  /**
   * Deletes sources that are gone, by their numbers, from what a chatbot's agents and tags have
   * chosen, a choice per step. They are no longer visible there.
   */
  forget(chatbot: string, sources: readonly number[]): Steps<void>;
}

/** Sources written or deleted per step, which takes a few milliseconds. */
const batchSize = 500;

/** SQL for a JSON list of the uuids of the sources that a row of `agents` or `tags` has chosen. */
export function listChosen(noun: Holder['noun']): string {
  return `(SELECT json_group_array(sources.uuid) FROM choices
    JOIN chosen_sources ON choice = choices.id
    JOIN sources ON sources.id = chosen_sources.source
    WHERE choices.${noun} = ${noun}s.uuid)`;
}

export function createChoiceStore(database: DatabaseSync): ChoiceStore {
  const begin = database.prepare('INSERT INTO choices DEFAULT VALUES');
  const addSome = database.prepare(
    `INSERT INTO chosen_sources (choice, source)
     SELECT ?, id FROM sources WHERE uuid IN (SELECT value FROM json_each(?)) ORDER BY id`,
  );
  const prepareFor = (noun: Holder['noun']) => ({
    leave: database.prepare(`UPDATE choices SET ${noun} = NULL WHERE ${noun} = ?`),
    take: database.prepare(`UPDATE choices SET ${noun} = ? WHERE id = ?`),
  });
  const statements = { agent: prepareFor('agent'), tag: prepareFor('tag') };
  const unused = database.prepare(
    'SELECT id FROM choices INDEXED BY choices_unused WHERE agent IS NULL AND tag IS NULL',
  );
  const removeSome = database.prepare(
    `DELETE FROM chosen_sources WHERE choice = ?1
     AND source IN (SELECT source FROM chosen_sources WHERE choice = ?1 LIMIT ${batchSize})`,
  );
  const remove = database.prepare('DELETE FROM choices WHERE id = ?');
  const ofChatbot = database.prepare(
    `SELECT choices.id FROM agents JOIN choices ON agent = agents.uuid WHERE chatbot = ?1
     UNION ALL SELECT choices.id FROM tags JOIN choices ON tag = tags.uuid WHERE chatbot = ?1`,
  );
  const removeThese = database.prepare(
    'DELETE FROM chosen_sources WHERE choice = ? AND source IN (SELECT value FROM json_each(?))',
  );
  /** Written, but not yet given. */
  const written = new Set<number>();

  return {
    *write(sources) {
      const choice = Number(begin.run().lastInsertRowid);
      written.add(choice);
      for (const batch of toBatches(sources, batchSize)) {
        addSome.run(choice, JSON.stringify(batch));
        yield;
      }
      return choice;
    },
    give(choice, { noun, uuid }) {
      statements[noun].leave.run(uuid);
      statements[noun].take.run(uuid, choice);
    },
    release(choice) {
      written.delete(choice);
    },
    *deleteUnused() {
      for (const { id } of readRows<{ id: number }>(unused)) {
        if (written.has(id)) continue;
        while (removeSome.run(id).changes > 0) yield;
        remove.run(id);
      }
    },
    *forget(chatbot, sources) {
      const batches = [...toBatches(sources, batchSize)].map((batch) => JSON.stringify(batch));
      for (const { id } of readRows<{ id: number }>(ofChatbot, chatbot)) {
        for (const numbers of batches) {
          removeThese.run(id, numbers);
          yield;
        }
      }
    },
  };
}
