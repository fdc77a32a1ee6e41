import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openStore } from '../../src/stores/open-store.ts';

/** Claims every key it is sent, and answers with 'true' or 'false'. */
const [, , storeUrl = ''] = process.argv;
await using store = openStore(storeUrl);
for await (const key of createInterface({ input: process.stdin })) {
  writeSync(1, `${await store.coordinator.claim(key, 3_600_000)}\n`);
}
