import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import type { Database } from '../../../src/shared/stores/database.ts';
import type { Migrations } from '../../../src/shared/stores/migrations.ts';
import { openDatabase } from '../../../src/shared/stores/open-database.ts';

/** Tables for tests: texts under numbers. */
export interface NotesTables {
  note: { id: number; text: string };
}

export const notesMigrations: Migrations = {
  '0.2.0': {
    async up(db) {
      await sql`CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`.execute(db);
    },
  },
};

/** Opens a database of notes until the test ends. */
export async function openNotes(path = ':memory:'): Promise<Database<NotesTables>> {
  const database = await openDatabase<NotesTables>(path, notesMigrations);
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database;
}
