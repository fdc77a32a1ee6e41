import { writeSync } from 'node:fs';
import { toReceivedRow } from '../../../src/bridge/conversation/inbox/row.ts';
import { openStore } from '../../../src/bridge/stores/open-store.ts';

/** Writes to the store without end, and prints each key once its write is acknowledged. */
const [, , storeUrl = ''] = process.argv;
await using store = await openStore(storeUrl);
const keyv = store.keyv<string>('turns');
const place = { platform: 'fake', workspace: 'W', channel: 'C' };
for (let number = 0; ; number += 1) {
  const key = `turn ${number}`;
  await keyv.set(key, `${key} `.repeat(200));
  await store.inbox.insert(toReceivedRow({ ...place, id: key }));
  writeSync(1, `${key}\n`);
}
