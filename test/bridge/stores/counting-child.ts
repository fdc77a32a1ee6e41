import { writeSync } from 'node:fs';
import { openStore } from '../../../src/bridge/stores/open-store.ts';

/** Counts in a store, in steps that another process may come between, and prints how far. */
const times = 500;
const [, , storeUrl = ''] = process.argv;
await using store = await openStore(storeUrl);
const keyv = store.keyv<number>('counts');
writeSync(1, 'started\n');
for (let number = 0; number < times; number += 1) {
  await keyv.update('key', (count = 0) => count + 1);
}
writeSync(1, `${times}\n`);
