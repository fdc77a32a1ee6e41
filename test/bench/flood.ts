/**
 * What a flood of requests that Slack did not sign does to Slack over HTTP: 500 posts that declare a
 * body and stall, half of them without a signature and half with one that looks right, and 5,000
 * short ones without a signature, while people write in a workspace of the sandbox and the bridge
 * answers them. The bridge, the flood, and everything else have a process each. Prints a line of JSON
 * with the bridge's memory, the slowest acknowledgement of what Slack signed, the answers to the
 * flood by status (0: none), and how long the last stalled post stayed open. Needs /proc.
 *
 *     npm run bench -- flood
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createManifest } from '../../src/app/manifest.ts';
import { startCauseway } from '../e2e/causeway-process.ts';
import { commandNames } from '../fixtures/command-names.ts';
import { serveSandbox } from '../sandbox/serve-sandbox.ts';
import type { Senders } from './flood/senders.ts';
import { startTraffic } from './flood/traffic.ts';
import { watchMemory } from './hostile/memory.ts';
import { startProcess } from './replies/process.ts';

const goals = { growthMb: 150, ackMs: 3000, openSeconds: 40 };
/** Almost as much as Bolt reads of any request, and almost as much as is read here. */
const unsignedBytes = { declaredBytes: 4_000_000, sentBytes: 3_900_000 };
const plausibleBytes = { declaredBytes: 1_000_000, sentBytes: 900_000 };
/** Beyond the goal, so that what misses it is seen to. */
const patienceSeconds = 50;
const calmMs = 3_000;

await using parts = new AsyncDisposableStack();
const dataDir = await mkdtemp(join(tmpdir(), 'causeway-flood-'));
parts.defer(() => rm(dataDir, { recursive: true, force: true }));
const { sandbox } = parts.use(await serveSandbox());
const { slack } = sandbox;
const { botToken, signingSecret, apiUrl } = slack.credentials;
const bridge = parts.use(
  await startCauseway({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    LOG_FORMAT: 'json',
    SLACK_BOT_TOKEN: botToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_API_URL: apiUrl,
  }),
);
slack.install(JSON.parse(createManifest(commandNames(), { origin: bridge.origin })));
const url = `${bridge.origin}/slack/events`;
await slack.setRequestUrl(url);
const senders = parts.use(startProcess<Senders>('../flood/senders.ts'));

const traffic = startTraffic(slack);
await sleep(calmMs);
const calm = traffic.take();
using memory = watchMemory(bridge.pid);
const rssBeforeMb = Math.round(memory.process());

const json = { 'content-type': 'application/json' };
const half = { url, count: 250 };
await senders.ask('stall', { ...half, ...unsignedBytes, headers: json });
await senders.ask('stall', {
  ...half,
  ...plausibleBytes,
  headers: {
    ...json,
    'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
    'x-slack-signature': `v0=${'0'.repeat(64)}`,
  },
});
const begun = performance.now();
const unsigned = await senders.ask('unsigned', { url, count: 5000, atOnce: 100 });
const unsignedSeconds = Math.round(performance.now() - begun) / 1000;
const { statuses, maxOpenSeconds, stillOpen } = await senders.ask('closed', {
  seconds: patienceSeconds,
});
const flooded = traffic.take();
await traffic.stop();

const rssPeakMb = Math.round(memory.process());
const ok =
  rssPeakMb - rssBeforeMb <= goals.growthMb &&
  flooded.slowestMs < goals.ackMs &&
  flooded.failed === 0 &&
  stillOpen === 0 &&
  maxOpenSeconds <= goals.openSeconds;
const row = {
  bench: 'flood',
  ok,
  rssBeforeMb,
  rssPeakMb,
  calm,
  flooded,
  stalled: statuses,
  maxOpenSeconds,
  stillOpen,
  unsigned,
  unsignedSeconds,
  logLines: bridge.output().match(/^\{/gmu)?.length ?? 0,
  goals,
};
process.stdout.write(`${JSON.stringify(row)}\n`);
if (!ok) process.exitCode = 1;
