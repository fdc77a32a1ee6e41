import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import pg from 'pg';
import { readMemoryMb } from '../../src/service/ingestion/confined-process.ts';
import { grantOf, serveSlackApi } from '../bridge/slack/fake-slack-api.ts';
import { findPostgres, startPostgresServer } from '../fixtures/postgres-server.ts';
import { createScriptedService, nameIn } from './judge/service.ts';
import { type SlackApp, startSlackApp } from './slack-app.ts';

/**
 * Two processes on Postgres, in 200 workspaces of Slack where people write 200 messages a second; ten of
 * them are questions, which a scripted service answers. Events come over HTTP, to one process and the
 * other in turn. Slack and the service are this process, whose CPU is told apart. Linux only.
 *
 *     npm run bench -- scale [--workspaces=200] [--events=200] [--questions=10] [--seconds=60]
 *
 * Prints one line of JSON.
 */

const { values } = parseArgs({
  options: {
    workspaces: { type: 'string', default: '200' },
    events: { type: 'string', default: '200' },
    questions: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
  },
});
const workspaces = Number(values.workspaces);
const eventsPerSecond = Number(values.events);
const questionsPerSecond = Number(values.questions);
const seconds = Number(values.seconds);
/** Before it, people talk among themselves for so long: what that costs is not counted for questions. */
const quietSeconds = 10;
const patienceMs = 60_000;
const ports = [3992, 3993];

await using parts = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'causeway-scale-'));
parts.defer(() => rmSync(folder, { recursive: true, force: true }));
const programs = findPostgres();
if (programs === undefined) throw new Error('Postgres is not installed.');
const settings = ['shared_preload_libraries=pg_stat_statements'];
const server = parts.use(await startPostgresServer(programs, { isDurable: true, settings }));
const url = await server.createDatabase('scale');
const database = new pg.Client({ connectionString: url });
await database.connect();
parts.defer(() => database.end());
await database.query('CREATE EXTENSION pg_stat_statements');

/** When each question was asked, and its answer shown whole, by name. */
const asked = new Map<string, number>();
const answered = new Map<string, number>();
let stamp = 0;
const slack = parts.use(
  await serveSlackApi(({ method, token = '', params }) => {
    slack.calls.length = 0;
    if (method === 'oauth.v2.access') return grantOf(params['code'] ?? '');
    if (method === 'auth.test') return { ok: true, bot_id: token.replace('xoxb-', 'B') };
    if (method === 'users.info') return { ok: true, user: { id: 'U1', name: 'Ada' } };
    const text = JSON.stringify(params);
    const name = nameIn(text);
    if (name !== undefined && / end\b/.test(text) && !answered.has(name)) {
      answered.set(name, performance.now());
    }
    stamp += 1;
    return { ok: true, channel: 'C1', ts: `9.${String(stamp).padStart(6, '0')}`, usergroups: [] };
  }),
);
const service = createScriptedService({
  planFor: () => ({ pieces: 6, gapMs: 300, deserted: 'completes' }),
  onProgress() {},
});
const listener = getRequestListener((request) => service.fetch(request, () => {}));
const chatbots = createServer((request, response) => void listener(request, response));
chatbots.listen(0, '127.0.0.1');
await once(chatbots, 'listening');
parts.defer(() => void chatbots.close());

const teams = Array.from({ length: workspaces }, (_, index) => `T${1000 + index}`);
const chatbot = crypto.randomUUID();
const apps: SlackApp[] = [];
for (const port of ports) apps.push(await start(port));
const [first] = apps;
if (!first) throw new Error('There is a process.');
for (const team of teams) await first.install(team);
const readyMb = await memoryOf(apps);

const latencies: number[] = [];
let failed = 0;
const before = await countStatements();
await talk(quietSeconds, 0);
const quiet = await countStatements();
latencies.length = 0;
const cpuBefore = { driver: process.cpuUsage(), apps: apps.map(({ pid }) => cpuSeconds(pid)) };
await talk(seconds, questionsPerSecond);
const talkedMs = performance.now();
while (answered.size < asked.size && performance.now() - talkedMs < patienceMs) await sleep(50);
const after = await countStatements();
const driver = process.cpuUsage(cpuBefore.driver);
const cpu = apps.map(({ pid }, index) => cpuSeconds(pid) - (cpuBefore.apps[index] ?? 0));

const perEvent = (quiet - before) / (quietSeconds * eventsPerSecond);
const others = seconds * (eventsPerSecond - questionsPerSecond);
const times = [...answered].map(([name, at]) => at - (asked.get(name) ?? at));
const row = {
  bench: 'scale',
  workspaces,
  processes: apps.length,
  eventsPerSecond,
  questionsPerSecond,
  acknowledgedP50Ms: percentile(latencies, 0.5),
  acknowledgedP99Ms: percentile(latencies, 0.99),
  unacknowledged: failed,
  questions: asked.size,
  answered: answered.size,
  answeredP50Ms: percentile(times, 0.5),
  answeredP99Ms: percentile(times, 0.99),
  cpuPerProcess: cpu.map((used) => Math.round((100 * used) / seconds)),
  cpuOfDriver: Math.round((driver.user + driver.system) / 10_000 / seconds),
  readyMb,
  loadedMb: await memoryOf(apps),
  statementsPerEvent: round(perEvent),
  statementsPerTurn: round((after - quiet - others * perEvent) / asked.size),
};
process.stdout.write(`${JSON.stringify(row)}\n`);
for (const app of apps) await app.stop();
if (answered.size < asked.size || failed > 0) process.exitCode = 1;

async function start(port: number): Promise<SlackApp> {
  const { port: servicePort } = chatbots.address() as AddressInfo;
  return startSlackApp(port, {
    DATA_DIR: join(folder, String(port)),
    STORE_URL: url,
    SLACK_API_URL: slack.url,
    CHATBOT_API_URL: `http://127.0.0.1:${servicePort}`,
    CHATBOT_API_KEY: 'a-key-for-the-bench-of-scale',
    CHATBOT_UUID: chatbot,
    // All of them have it, as the scripted service makes none.
    WORKSPACES: teams.join(','),
  });
}

/** People write as much as is given, however slow the processes are. */
async function talk(duration: number, questions: number): Promise<void> {
  const sent: Promise<void>[] = [];
  const startMs = performance.now();
  const count = duration * eventsPerSecond;
  for (let index = 0; index < count; index += 1) {
    const wait = startMs + (1000 * index) / eventsPerSecond - performance.now();
    if (wait > 1) await sleep(wait);
    const every = questions > 0 ? Math.floor(eventsPerSecond / questions) : Infinity;
    const isQuestion = questions > 0 && index % every === 0;
    // In all workspaces in turn.
    const team = teams[(isQuestion ? index / every : index) % teams.length] ?? '';
    sent.push(say(team, index, isQuestion));
  }
  await Promise.all(sent);
}

async function say(team: string, index: number, isQuestion: boolean): Promise<void> {
  stamp += 1;
  const ts = `${Math.floor(Date.now() / 1000)}.${String(stamp % 1_000_000).padStart(6, '0')}`;
  const name = `q${index}.1`;
  const text = isQuestion ? `<@UBOT${team}> What is ${name}?` : 'Shall we have lunch?';
  const type = isQuestion ? 'app_mention' : 'message';
  const at = performance.now();
  if (isQuestion) asked.set(name, at);
  try {
    const common = { channel: 'C1', channel_type: 'channel', user: 'U1', text, ts };
    await apps[index % apps.length]?.send(team, { type, ...common });
    latencies.push(performance.now() - at);
  } catch (error) {
    failed += 1;
    process.stderr.write(`${String(error)}\n`);
  }
}

async function countStatements(): Promise<number> {
  const { rows } = await database.query<{ calls: string }>(
    `SELECT sum(calls) AS calls FROM pg_stat_statements AS s
     JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = 'scale'`,
  );
  return Number(rows[0]?.calls);
}

/** CPU of a process and its threads so far; a tick of Linux is 10 ms. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function memoryOf(processes: readonly SlackApp[]): Promise<number[]> {
  return Promise.all(processes.map(async ({ pid }) => Math.round((await readMemoryMb(pid)) ?? 0)));
}

function percentile(all: readonly number[], share: number): number {
  const sorted = all.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
