import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBridge } from './judge/bridge.ts';
import { type Bridges, openBridges } from './judge/bridges.ts';
import type { Finding } from './judge/evidence.ts';
import { createPeople } from './judge/people.ts';
import { createPlaces, settle } from './judge/places.ts';
import { createRandom } from './judge/random.ts';
import type { ReplyPlan } from './judge/service.ts';
import { summarize } from './judge/takeovers.ts';
import { createWorld } from './judge/world.ts';
import { createCrowd } from './storm/crowd.ts';
import { stirUp } from './storm/trouble.ts';

/**
 * Many threads on both platforms at once, with everything that goes wrong in a bad hour: 10 % of the
 * messages are delivered two to four times, after later ones; with 5 % of them, the platform's
 * sockets drop; 2 % of the platforms' calls fail with 5xx or 429, before or after their effect; 2 %
 * of the queries fail upstream; and half-way the process is killed and started again. Each question
 * must have one answer, in the order of its thread.
 *
 *     npm run bench -- storm [--messages <number>] [--threads <number>] [--seed <number>] [--postgres]
 *
 * With `--postgres`, three processes share a store there. A third into the messages, one is killed and
 * started again; half-way, one is paused for twice as long as its leases last; two thirds into them,
 * Postgres is ended and started again.
 *
 * A fifth of the threads are in Slack, which allows 50 edits a minute in a workspace, and every
 * answer needs one: with more, the bench would measure that limit. In a thread, somebody asks the
 * next question once the one before it has arrived for the first time, and while fewer than five
 * wait for their answers (the bridge lets ten wait). So the order of a thread is known, whatever
 * comes twice or late.
 *
 * Prints a line of JSON; half an answer counts as lost. What is wrong is on stderr.
 */

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '2000' },
    threads: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    postgres: { type: 'boolean', default: false },
  },
});
const messages = Number(values.messages);
const random = createRandom(Number(values.seed));

/** Longer than the minute in which Slack's budget for edits is spent. */
const waiting = { patienceMs: 65_000, maxMs: 15 * 60_000 };

function planReply(): ReplyPlan {
  const failure = random.happens(0.02) ? random.pick(['refused', 'broken'] as const) : undefined;
  return {
    pieces: random.whole(1, 4),
    gapMs: random.whole(10, 100),
    deserted: random.pick(['completes', 'leaves', 'forgets']),
    fails: failure,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-storm-'));
await using parts = new AsyncDisposableStack();
parts.defer(() => rmSync(folder, { recursive: true, force: true }));
const plans = new Map<string, ReplyPlan>();
function planFor(query: string): ReplyPlan {
  const plan = plans.get(query) ?? planReply();
  plans.set(query, plan);
  return plan;
}
const world = parts.use(await createWorld({ planFor }));
const people = createPeople(world.sandbox);
const places = createPlaces(people);
const env = { ...world.env, LOG_LEVEL: 'error' };
const bridges = values.postgres
  ? parts.use(await openBridges(env, { count: 3, folder, discord: world.sandbox.discord }))
  : undefined;
const bridge = bridges ? undefined : parts.use(createBridge({ ...env, DATA_DIR: folder }));
const judged = bridges ?? bridge;
await judged?.start();

let disturbing = Promise.resolve();
const trouble = stirUp(world, random);
await createCrowd({
  world,
  people,
  random,
  onAsked(question, count) {
    places.add(question);
    trouble.onAsked(question);
    if (bridges) disturb(bridges, count);
    else if (count === Math.floor(messages / 2)) void restart();
    if (count % 100 === 0) process.stderr.write(`${count} asked\n`);
  },
}).askAll({ messages, threads: Number(values.threads) });

async function restart(): Promise<void> {
  bridge?.kill();
  process.stderr.write('kill -9\n');
  await bridge?.ended();
  await bridge?.start();
}

/** Leases last four seconds. */
function disturb(bridges: Bridges, count: number): void {
  const { pause, restartStore } = bridges;
  const [third, half, later] = [messages / 3, messages / 2, (2 * messages) / 3].map(Math.floor);
  if (count === third) inOrder('kill -9', () => killAndStart(bridges));
  if (count === half) inOrder('SIGSTOP', () => pause(8_000));
  if (count === later) inOrder('Postgres ends', () => restartStore(5_000));
}

async function killAndStart(bridges: Bridges): Promise<void> {
  bridges.kill();
  await bridges.ended();
  await sleep(10_000);
  await bridges.start();
}

function inOrder(what: string, disturb: () => Promise<void>): void {
  const last = disturbing;
  disturbing = (async () => {
    await last;
    process.stderr.write(`${what}\n`);
    await disturb();
    process.stderr.write(`${what}: over\n`);
  })();
}

await disturbing;
const wasSent = (name: string) => world.sent.includes(name) || judged?.diedAsking(name) === true;
const judgeAll = () =>
  places.judge({
    asked: world.service.asked,
    wasSent,
    isReadable: (asked) => judged?.couldRead(asked) === true,
    inbox: [],
    hasTold: world.hasTold,
    wasLate: world.wasLate,
    storeWasAway: judged?.storeWasAway,
  });
const findings = await settle(world, judgeAll, waiting);
for (const { kind, question, reason } of findings) {
  process.stderr.write(`${kind} ${question}: ${reason}\n`);
}
const count = (...kinds: Finding['kind'][]) =>
  findings.filter(({ kind }) => kinds.includes(kind)).length;
const row = {
  bench: 'storm',
  ...(values.postgres && { store: 'postgres', processes: 3 }),
  messages,
  lost: count('lost', 'dangling'),
  twice: count('twice'),
  outOfOrder: count('outOfOrder'),
  ...(bridges && {
    takeoverMs: {
      slack: summarize(bridges.takeovers('slack')),
      discord: summarize(bridges.takeovers('discord')),
    },
  }),
};
process.stdout.write(`${JSON.stringify(row)}\n`);
process.stderr.write(`${JSON.stringify(trouble.counts)}\n`);
if (findings.length > 0) {
  process.stderr.write(bridges?.output() ?? '');
  process.exitCode = 1;
}
