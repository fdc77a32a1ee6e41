import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer as createSocketServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginStream,
  type ModelServer,
  sendDelta,
  sendEvent,
  startModelServer,
} from '../../fixtures/model-server.ts';
import { launchCauseway, type LaunchedProcess, startCauseway } from '../../e2e/causeway-process.ts';
import { createService } from '../../../src/service/service.ts';
import { silentLog } from '../../fixtures/log.ts';
import { createPeople, type People, platforms, type Said } from '../judge/people.ts';
import { createRandom } from '../judge/random.ts';
import { createWorld } from '../judge/world.ts';

/** What is killed: the bridge beside a living service, the service beside a living bridge, or both in one process. */
const victims = ['bridge', 'service', 'both'] as const;
type Victim = (typeof victims)[number];

/** What became of a run's questions. */
interface Outcome {
  /** Whole answers. */
  whole: number;
  /** Questions without a whole answer, and what stands there. */
  broken: string[];
  /** Questions with more than one message. */
  twice: string[];
  /** Questions that the model was asked more often than a death of the service explains. */
  askedTooOften: string[];
  /** Messages that still have a Stop button. */
  stops: string[];
}

/**
 * Kills a process once in each run, in the middle of three replies, and prints what became of them as a
 * line of JSON. What is wrong is on stderr.
 */
export async function measureContinued(
  named: string,
  seeds: number[],
  lanes: number,
): Promise<void> {
  const victim = victims.find((each) => each === named);
  if (!victim) throw new Error(`--kill is one of ${victims.join(', ')}`);
  const row = { bench: 'crash', kill: victim, kills: 0, questions: 0, whole: 0 };
  const faults = { broken: 0, twice: 0, askedTooOften: 0, stops: 0 };
  async function work(kind: Victim): Promise<void> {
    await using lane = await openContinuedLane(kind);
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const { whole, ...found } = await lane.run(seed);
      row.kills += 1;
      row.questions += 3;
      row.whole += whole;
      for (const kind of Object.keys(faults) as (keyof typeof faults)[]) {
        faults[kind] += found[kind].length;
        for (const each of found[kind]) process.stderr.write(`seed ${seed}: ${kind} ${each}\n`);
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, () => work(victim)));
  process.stdout.write(`${JSON.stringify({ ...row, ...faults })}\n`);
  if (row.whole < row.questions || Object.values(faults).some((count) => count > 0)) {
    process.exitCode = 1;
  }
}

const wordCount = 60;
const wordMs = 60;
/** When a run is killed, after its questions. The last replies have ended by then. */
const maxKillMs = wordCount * wordMs + 1_500;
const maxWaitMs = 60_000;
const key = 'the-key-of-the-bench';

/** The answer to a question: sixty words that only this one has. */
function answerTo(name: string): string {
  return Array.from({ length: wordCount }, (_, index) => `${name}w${index + 1}`).join(' ');
}

function startScriptedModel(models: ModelServer, asked: Map<string, number>): void {
  models.answer = async (response, { body }) => {
    const { content = '' } = body.messages.findLast(({ role }) => role === 'user') ?? {};
    const name = /q\d+x\d+/g.exec(content.slice(content.lastIndexOf('q')))?.[0] ?? '';
    asked.set(name, (asked.get(name) ?? 0) + 1);
    beginStream(response);
    for (const [index, word] of answerTo(name).split(' ').entries()) {
      if (response.destroyed) return;
      sendDelta(response, index === 0 ? word : ` ${word}`);
      await sleep(wordMs);
    }
    sendEvent(response, { choices: [{ delta: {}, finish_reason: 'stop' }] });
    response.end('data: [DONE]\n\n');
  };
}

/** A port that is free now: the service keeps its address when it is started again. */
async function findPort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Processes that go on, one kill after another, with their world. */
interface ContinuedLane extends AsyncDisposable {
  run(seed: number): Promise<Outcome>;
}

async function openContinuedLane(victim: Victim): Promise<ContinuedLane> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-continued-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['service', 'bridge']) mkdirSync(join(folder, name));
  const models = parts.use(await startModelServer());
  const asked = new Map<string, number>();
  startScriptedModel(models, asked);
  const world = parts.use(
    await createWorld({ planFor: () => ({ pieces: 1, gapMs: 1, deserted: 'completes' }) }),
  );
  const people = createPeople(world.sandbox);
  const port = String(await findPort());
  const log = { LOG_LEVEL: 'warn' };
  const model = { LLM_BASE_URL: models.baseUrl, LLM_MODEL: 'small' };
  const serviceEnv = {
    DATA_DIR: join(folder, 'service'),
    PORT: port,
    SERVICE_API_KEYS: key,
    ...model,
    ...log,
  };
  const { CHATBOT_API_URL: _, CHATBOT_API_KEY: __, CHATBOT_UUID: ___, ...platformEnv } = world.env;
  const bridgeEnv = {
    ...platformEnv,
    DATA_DIR: join(folder, 'bridge'),
    ...(victim === 'both'
      ? model
      : { CHATBOT_API_URL: `http://127.0.0.1:${port}`, CHATBOT_API_KEY: key }),
    ...log,
  };
  let service: LaunchedProcess | undefined;
  let bridge: LaunchedProcess;
  const startService = async () => {
    service = launchCauseway(serviceEnv, undefined, { args: ['serve'] });
    await service.printed(/https?:\/\/[\d.:]+/);
  };
  const startBridge = async () => {
    bridge = await startCauseway(bridgeEnv);
  };
  // A chatbot without sources: of others, the model would be asked only what these answer.
  if (victim === 'both') {
    Object.assign(bridgeEnv, { CHATBOT_UUID: await prepareBuiltIn(bridgeEnv.DATA_DIR) });
  } else {
    await startService();
    Object.assign(bridgeEnv, { CHATBOT_UUID: await createChatbot(`http://127.0.0.1:${port}`) });
  }
  await startBridge();
  parts.defer(async () => {
    await bridge[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  async function killAndStart(): Promise<void> {
    if (victim === 'service') {
      await service?.stop('SIGKILL');
      await startService();
    } else {
      await bridge.stop('SIGKILL');
      await startBridge();
    }
  }

  async function run(seed: number): Promise<Outcome> {
    const random = createRandom(seed);
    await waitFor(() => platforms.every((name) => world.hears(name)));
    const questions = await askAll(people, `q${seed}`);
    await sleep(random.whole(0, maxKillMs));
    await killAndStart();
    const state = () => judge({ questions, people, asked, victim });
    await waitFor(() => state().whole === questions.length && state().stops.length === 0);
    // What comes late would be seen in the next run's place.
    await world.quiet(500, AbortSignal.timeout(5_000));
    return state();
  }

  const running = parts.move();
  return { run, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

interface AskedQuestion {
  name: string;
  said: Said;
}

/** A mention on each platform, and a direct message on Slack. */
async function askAll(
  people: Record<'slack' | 'discord', People>,
  prefix: string,
): Promise<AskedQuestion[]> {
  const text = (name: string) => `What does the manual say about ${name}?`;
  const names = ['x1', 'x2', 'x3'].map((end) => prefix + end) as [string, string, string];
  return [
    { name: names[0], said: await people.slack.mention('general', text(names[0])) },
    { name: names[1], said: await people.discord.mention('help', text(names[1])) },
    { name: names[2], said: await people.slack.direct('grace', text(names[2])) },
  ];
}

function judge(run: {
  questions: AskedQuestion[];
  people: Record<'slack' | 'discord', People>;
  asked: ReadonlyMap<string, number>;
  victim: Victim;
}): Outcome {
  const outcome: Outcome = { whole: 0, broken: [], twice: [], askedTooOften: [], stops: [] };
  const mayAsk = run.victim === 'bridge' ? 1 : 2;
  for (const { name, said } of run.questions) {
    const { platform } = said.place;
    const shown = run.people[platform].shown(said.place).filter(({ text }) => text !== '');
    const texts = shown.map(({ text }) => text);
    const isWhole = texts.some((text) => text.startsWith(answerTo(name)));
    if (isWhole) outcome.whole += 1;
    else outcome.broken.push(`${platform} ${name}: ${texts.join(' | ').slice(-300)}`);
    if (shown.length > 1) outcome.twice.push(`${platform} ${name}: ${texts.join(' | ')}`);
    const count = run.asked.get(name) ?? 0;
    if (count > mayAsk) outcome.askedTooOften.push(`${platform} ${name}: ${count} times`);
    const stops = shown.filter(({ buttons, streams }) => buttons.includes('Stop') || streams);
    outcome.stops.push(...stops.map(({ text }) => `${platform} ${name}: ${text.slice(0, 100)}`));
  }
  return outcome;
}

async function createChatbot(
  origin: string,
  ask: (request: Request) => Promise<Response> = fetch,
): Promise<string> {
  const request = new Request(`${origin}/api/v1/chatbot/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench' }),
  });
  return ((await (await ask(request)).json()) as { uuid: string }).uuid;
}

/** Creates a chatbot in the data of the built-in service, before it is started. */
async function prepareBuiltIn(dataDir: string): Promise<string> {
  await using service = await createService({ dataDir, keys: [{ key }], log: silentLog });
  return await createChatbot('http://service', (request) => service.fetch(request));
}

async function waitFor(isDone: () => boolean): Promise<void> {
  const until = performance.now() + maxWaitMs;
  while (!isDone() && performance.now() < until) await sleep(100);
}
