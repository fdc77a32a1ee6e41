import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBridge } from './judge/bridge.ts';
import { createPeople } from './judge/people.ts';
import { createRandom } from './judge/random.ts';
import { createWorld } from './judge/world.ts';
import { openGauges, type Reading } from './soak/gauges.ts';
import { createTalk } from './soak/talk.ts';

/**
 * The bridge as a process that has much to do for a long time: its heap after a garbage collection,
 * its file descriptors, and the bytes it stores. They must level off: the bridge may keep turns for
 * their buttons, but nothing may grow with each message except the store, and that evenly.
 *
 *     npm run bench -- soak [--minutes <number>] [--per-second <number>] [--seed <number>]
 *
 * Of 20 messages a second, 8 are questions in Discord's threads, one every two seconds is a question
 * in Slack's (more answers than that Slack's limit of edits does not allow), and the rest is talk
 * that the bot overhears in channels. Prints a line of JSON every minute, and one with the trend.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const minutes = Number(values.minutes);
const perSecond = Number(values['per-second']);

const folder = mkdtempSync(join(tmpdir(), 'causeway-soak-'));
await using parts = new AsyncDisposableStack();
parts.defer(() => rmSync(folder, { recursive: true, force: true }));
const planFor = () => ({ pieces: 3, gapMs: 60, deserted: 'completes' }) as const;
const world = parts.use(await createWorld({ planFor }));
const bridge = parts.use(
  createBridge({
    ...world.env,
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
  }),
);
await bridge.start();
const gauges = parts.use(await openGauges(bridge, folder));
const talk = createTalk(createPeople(world.sandbox), createRandom(Number(values.seed)));
await talk.open();

const readings: Reading[] = [await gauges.read(talk.count)];
for (let minute = 1; minute <= minutes; minute += 1) {
  await talkForAMinute();
  const reading = await gauges.read(talk.count);
  readings.push(reading);
  print({ bench: 'soak', minute, ...reading });
}
const trend = toTrend(readings);
print({ bench: 'soak', minutes, messages: talk.count, ...trend });
if (!trend.isLevel) process.exitCode = 1;

async function talkForAMinute(): Promise<void> {
  const start = performance.now();
  for (let said = 0; said < perSecond * 60; said += 1) {
    const dueInMs = start + (said * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
    await talk.say();
  }
}

/** From the end of the first half, in which caches fill, to the end. */
function toTrend(all: readonly Reading[]) {
  const middle = all[Math.floor(all.length / 2)];
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !middle || !last) throw new Error('A soak takes a minute or more.');
  const perMessage = (from: Reading, to: Reading) =>
    Math.round((to.storedBytes - from.storedBytes) / Math.max(1, to.messages - from.messages));
  const trend = {
    heapMb: [first.heapMb, middle.heapMb, last.heapMb],
    descriptors: [first.descriptors, middle.descriptors, last.descriptors],
    bytesPerMessage: [perMessage(first, middle), perMessage(middle, last)],
  };
  const [early = 0, late = 0] = trend.bytesPerMessage;
  return {
    ...trend,
    isLevel:
      last.heapMb <= middle.heapMb * 1.1 &&
      last.descriptors <= middle.descriptors + 10 &&
      late <= early * 1.2,
  };
}

function print(row: object): void {
  process.stdout.write(`${JSON.stringify(row)}\n`);
}
