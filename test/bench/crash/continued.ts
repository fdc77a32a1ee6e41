import { mkdtempSync, rmSync } from 'node:fs';
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
import { createPeople, type People, platforms, type Said } from '../judge/people.ts';
import { createRandom } from '../judge/random.ts';
import { createWorld } from '../judge/world.ts';
import { modelOf, openProcesses, type Victim, victims } from './processes.ts';

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
  /** How many questions the model was asked once more after a service had died. */
  askedAgain: number;
}

/**
 * Kills a process once in each run, in the middle of three replies, and prints what became of them as a
 * line of JSON. What is wrong is on stderr. On Postgres, one of two is killed, and in every second run
 * stays away until the other one has written all.
 */
export async function measureContinued(
  named: string,
  { seeds, lanes, postgres }: { seeds: number[]; lanes: number; postgres: boolean },
): Promise<void> {
  const victim = victims.find((each) => each === named);
  if (!victim) throw new Error(`--kill is one of ${victims.join(', ')}`);
  const store = postgres ? 'postgres' : 'sqlite';
  const row = { bench: 'crash', kill: victim, store, kills: 0, questions: 0, whole: 0 };
  let askedAgain = 0;
  const faults = { broken: 0, twice: 0, askedTooOften: 0, stops: 0 };
  async function work(kind: Victim): Promise<void> {
    await using lane = await openContinuedLane(kind, postgres);
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const { whole, askedAgain: again, ...found } = await lane.run(seed);
      row.kills += 1;
      askedAgain += again;
      if (row.kills % 20 === 0) process.stderr.write(`${row.kills} runs\n`);
      row.questions += 3;
      row.whole += whole;
      for (const kind of Object.keys(faults) as (keyof typeof faults)[]) {
        faults[kind] += found[kind].length;
        for (const each of found[kind]) process.stderr.write(`seed ${seed}: ${kind} ${each}\n`);
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, () => work(victim)));
  process.stdout.write(`${JSON.stringify({ ...row, ...faults, askedAgain })}\n`);
  if (row.whole < row.questions || Object.values(faults).some((count) => count > 0)) {
    process.exitCode = 1;
  }
}

const wordCount = 60;
const wordMs = 60;
/** When a run is killed, after its questions. The last replies have ended by then. */
const maxKillMs = wordCount * wordMs + 1_500;
const maxWaitMs = 60_000;
/** What a process sent before it died comes within this time. */
const underWayMs = 200;

/** A request to the model. */
interface Asking {
  name: string;
  model: string;
  at: number;
}

/** The answer to a question: sixty words that only this one has. */
function answerTo(name: string): string {
  return Array.from({ length: wordCount }, (_, index) => `${name}w${index + 1}`).join(' ');
}

function startScriptedModel(models: ModelServer, asked: Asking[]): void {
  models.answer = async (response, { body }) => {
    const { content = '' } = body.messages.findLast(({ role }) => role === 'user') ?? {};
    const name = /q\d+x\d+/g.exec(content.slice(content.lastIndexOf('q')))?.[0] ?? '';
    asked.push({ name, model: body.model, at: performance.now() });
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

/** Processes that go on, one kill after another, with their world. */
interface ContinuedLane extends AsyncDisposable {
  run(seed: number): Promise<Outcome>;
}

async function openContinuedLane(victim: Victim, postgres: boolean): Promise<ContinuedLane> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-continued-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const models = parts.use(await startModelServer());
  const asked: Asking[] = [];
  startScriptedModel(models, asked);
  const world = parts.use(
    await createWorld({ planFor: () => ({ pieces: 1, gapMs: 1, deserted: 'completes' }) }),
  );
  const people = createPeople(world.sandbox);
  const { CHATBOT_API_URL: _, CHATBOT_API_KEY: __, CHATBOT_UUID: ___, ...platformEnv } = world.env;
  const { baseUrl: llmBaseUrl } = models;
  const processes = parts.use(
    await openProcesses({ victim, postgres, folder, platformEnv, llmBaseUrl }),
  );

  async function run(seed: number): Promise<Outcome> {
    const random = createRandom(seed);
    await waitFor(() => platforms.every((name) => world.hears(name)));
    const questions = await askAll(people, `q${seed}`);
    await sleep(random.whole(0, maxKillMs));
    const index = random.whole(0, processes.count - 1);
    const staysAway = processes.count > 1 && random.happens(0.5);
    await processes.kill(index);
    const killed = { model: modelOf(index), at: performance.now() + underWayMs };
    if (!staysAway) await processes.start(index);
    const state = () => judge({ questions, people, asked, victim, killed });
    await waitFor(() => state().whole === questions.length && state().stops.length === 0);
    // What comes late would be seen in the next run's place.
    await world.quiet(500, AbortSignal.timeout(5_000));
    const outcome = state();
    if (staysAway) await processes.start(index);
    return outcome;
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
  asked: readonly Asking[];
  victim: Victim;
  killed: Omit<Asking, 'name'>;
}): Outcome {
  const faults = { broken: [], twice: [], askedTooOften: [], stops: [] };
  const outcome: Outcome = { whole: 0, ...faults, askedAgain: 0 };
  const hasDied = ({ model, at }: Asking) =>
    run.victim !== 'bridge' && model === run.killed.model && at < run.killed.at;
  for (const { name, said } of run.questions) {
    const { platform } = said.place;
    const shown = run.people[platform].shown(said.place).filter(({ text }) => text !== '');
    const texts = shown.map(({ text }) => text);
    const isWhole = texts.some((text) => text.startsWith(answerTo(name)));
    if (isWhole) outcome.whole += 1;
    else outcome.broken.push(`${platform} ${name}: ${texts.join(' | ').slice(-300)}`);
    if (shown.length > 1) outcome.twice.push(`${platform} ${name}: ${texts.join(' | ')}`);
    const asked = run.asked.filter((each) => each.name === name);
    const mayAsk = asked.some(hasDied) ? 2 : 1;
    if (asked.length > mayAsk) {
      const by = asked.map(({ model }) => model).join(', ');
      outcome.askedTooOften.push(`${platform} ${name}: ${asked.length} times, by ${by}`);
    } else if (asked.length > 1) outcome.askedAgain += 1;
    const stops = shown.filter(({ buttons, streams }) => buttons.includes('Stop') || streams);
    outcome.stops.push(...stops.map(({ text }) => `${platform} ${name}: ${text.slice(0, 100)}`));
  }
  return outcome;
}

async function waitFor(isDone: () => boolean): Promise<void> {
  const until = performance.now() + maxWaitMs;
  while (!isDone() && performance.now() < until) await sleep(100);
}
