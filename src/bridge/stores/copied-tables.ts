import type { CopiedTable } from '../../shared/stores/copied-tables.ts';

/** What a copy takes of the bridge's database: processes and their leases stay behind. */
export const copiedTables: readonly CopiedTable[] = [
  { name: 'keyv', key: ['namespace', 'key'] },
  { name: 'inbox', key: ['arrival'], serial: 'arrival' },
  { name: 'questions', key: ['id', 'attempt'] },
];
