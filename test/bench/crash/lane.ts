import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CausewayProcess, startCauseway } from '../../e2e/causeway-process.ts';
import { type Evidence, type Finding, judge, type Question } from '../judge/judge.ts';
import {
  createPeople,
  type People,
  type Place,
  type PlatformName,
  platforms,
} from '../judge/people.ts';
import type { ReplyPlan } from '../judge/service.ts';
import { createWorld } from '../judge/world.ts';
import { describeKill, type KillPoint, type PlannedQuestion, type RunPlan } from './plan.ts';

/** A world and a bridge in it, which lives through one run after another on the same data. */
export interface Lane extends AsyncDisposable {
  /** Does what the plan says, waits until all is quiet, and judges. */
  run(plan: RunPlan): Promise<RunResult>;
  /** Judges all runs once more, by their seeds: something may have come late. */
  judgeAgain(): Map<number, Finding[]>;
}

export interface RunResult {
  findings: Finding[];
  /** Whether the process died at the planned moment, not only once all was quiet. */
  reached: boolean;
  /** What happened, for people who look into a finding. */
  story: string[];
}

/** Nothing more comes once nothing has happened for this long. */
const quietMs = 300;

/** Where something is missing, it may come for about this long after the last thing that happened. */
const patienceMs = 8_000;

const maxRunMs = 60_000;

const plainReply: ReplyPlan = { pieces: 2, gapMs: 10, deserted: 'completes' };

export async function openLane(): Promise<Lane> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-crash-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const replies = new Map<string, ReplyPlan>();
  const world = parts.use(
    await createWorld({ planFor: (query) => replies.get(query) ?? plainReply }),
  );
  const people = createPeople(world.sandbox);
  const env = { ...world.env, DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const bridge = parts.use(createMortal(env));
  /** The last question in a thread of each platform in which the bot has answered. */
  const known = new Map<PlatformName, Question>();
  const judged = new Map<number, () => Finding[]>();

  async function run(plan: RunPlan): Promise<RunResult> {
    const story = createStory();
    const places = createPlaces(people);
    const since = world.service.asked.length;
    const judgeRun = (which: 'all' | 'own' = 'all') =>
      places.judge(which, {
        asked: world.service.asked.slice(since),
        // What was asked of an earlier process may have been stored too late for this one.
        isReadable: ({ at, wholeAt = Infinity }) => at > bridge.bornAt || wholeAt < bridge.bornAt,
      });

    async function ask(planned: PlannedQuestion, index: number): Promise<void> {
      await sleep(planned.atMs);
      const { platform, kind, reply } = planned;
      const thread = known.get(platform);
      const isRepeated = kind === 'repeated' && thread !== undefined;
      const name = isRepeated ? thread.name : `q${plan.seed}.${index + 1}`;
      const text = isRepeated ? thread.text : `What is ${name}?`;
      replies.set(text, reply);
      const question = { name, text, place: await say(planned, text, thread?.place) };
      if (kind === 'follow-up' || kind === 'repeated') known.set(platform, question);
      places.add(question);
      story.tell(`${platform}, ${kind}: “${text}” ${JSON.stringify(reply)}`);
    }

    function dieAt(point: KillPoint): Promise<true> {
      const dead = Promise.withResolvers<true>();
      let left = point.nth;
      const die = () => {
        if (bridge.kill()) story.tell(`kill -9 ${describeKill(point)}`);
        dead.resolve(true);
      };
      const forget = world.watch(({ step, phase }) => {
        if (step !== point.step || phase !== point.phase) return false;
        left -= 1;
        if (left > 0) return false;
        forget();
        if (point.afterMs > 0) setTimeout(die, point.afterMs);
        else die();
        return phase !== 'after';
      });
      return dead.promise;
    }

    /** Waits until all is answered and quiet, or something is missing and nothing comes. */
    async function settle(): Promise<Finding[]> {
      const limit = AbortSignal.timeout(maxRunMs);
      for (let ms = quietMs; ; ms *= 2) {
        const isQuiet = await world.quiet(ms, limit);
        const findings = judgeRun();
        if (findings.length === 0 || ms > patienceMs || !isQuiet) return findings;
      }
    }

    const dead = dieAt(plan.kill);
    const asked = Promise.all(plan.questions.map(ask));
    const reached = await Promise.race([dead, asked.then(settle).then(() => false)]);
    if (!reached) {
      story.tell('kill -9 once all was quiet');
      bridge.kill();
    }
    await asked;
    await bridge.ended();
    await Promise.all(
      plan.meanwhile.map((each, index) => ask(each, plan.questions.length + index)),
    );
    const deadAgain = plan.killAgain && dieAt(plan.killAgain);
    await bridge.start();
    story.tell('started again');
    let findings = await Promise.race([settle(), ...(deadAgain ? [deadAgain] : [])]);
    if (findings === true) {
      await bridge.ended();
      await bridge.start();
      story.tell('started a third time');
      findings = await settle();
    }
    judged.set(plan.seed, () => judgeRun('own'));
    return { findings, reached, story: [...story.lines, bridge.output()] };
  }

  function say(
    { platform, kind, channel, person }: PlannedQuestion,
    text: string,
    thread?: Place,
  ): Promise<Place> {
    if (kind === 'direct') return people[platform].direct(person, text);
    return kind === 'mention' || !thread
      ? people[platform].mention(channel, text)
      : people[platform].follow(thread, text);
  }

  /** Has the bot answer in a thread of each platform, where later questions follow. */
  async function open(): Promise<void> {
    await bridge.start();
    for (const [index, platform] of platforms.entries()) {
      const name = `q0.${index}`;
      const text = `What is ${name}?`;
      const place = await people[platform].mention('general', text);
      known.set(platform, { name, text, place });
    }
    await world.quiet(quietMs, AbortSignal.timeout(maxRunMs));
  }

  await open();
  const opened = parts.move();
  return {
    run,
    judgeAgain: () => new Map([...judged].map(([seed, judgeRun]) => [seed, judgeRun()])),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What happened and when, for people. */
function createStory() {
  const start = performance.now();
  const lines: string[] = [];
  return {
    lines,
    tell(what: string) {
      lines.push(`${Math.round(performance.now() - start)} ms: ${what}`);
    },
  };
}

/** The places of a run with their questions, and what the bot said there before. */
function createPlaces(people: Record<PlatformName, People>) {
  const places = new Map<string, { place: Place; questions: Question[]; earlier: Set<string> }>();
  const idsIn = (place: Place) => people[place.platform].shown(place).map(({ id }) => id);
  const astray = () => platforms.flatMap((name) => people[name].astray());
  const astrayBefore = astray().length;

  return {
    /** Adds a question that was asked just now, before the bot could answer. */
    add(question: Question): void {
      const { place } = question;
      const key = JSON.stringify(place);
      const known = places.get(key);
      if (known) known.questions.push(question);
      else places.set(key, { place, questions: [question], earlier: new Set(idsIn(place)) });
    },
    /** Judges all places, or only the run's own, where later runs say nothing. */
    judge(which: 'all' | 'own', evidence: Pick<Evidence, 'asked' | 'isReadable'>): Finding[] {
      const findings = [...places.values()].flatMap(({ place, questions, earlier }) => {
        const isOwn = earlier.size === 0 && place.thread !== place.channel;
        if (which === 'own' && !isOwn) return [];
        const shown = people[place.platform].shown(place).filter(({ id }) => !earlier.has(id));
        return judge({ ...evidence, questions, shown });
      });
      const strays = which === 'all' ? astray().slice(astrayBefore) : [];
      const further = strays.map(({ text }) => ({
        kind: 'twice' as const,
        question: '',
        reason: `a message in the channel itself: ${text}`,
      }));
      return [...findings, ...further];
    },
  };
}

/** The bridge as a process that can be killed at any time, while it starts too. */
function createMortal(env: Record<string, string>) {
  let life = new AbortController();
  let process: CausewayProcess | undefined;
  let bornAt = 0;
  let starting: Promise<void> = Promise.resolve();

  async function bear(signal: AbortSignal): Promise<void> {
    try {
      process = await startCauseway(env, signal);
    } catch (error) {
      // Killed while it started.
      if (!signal.aborted) throw error;
    }
  }

  return {
    /** When the process was started last, by `performance.now()`. */
    get bornAt() {
      return bornAt;
    },
    output: () => process?.output() ?? '',
    start(): Promise<void> {
      life = new AbortController();
      bornAt = performance.now();
      starting = bear(life.signal);
      return starting;
    },
    /** At once, with SIGKILL; false if it was dead already. */
    kill(): boolean {
      if (life.signal.aborted) return false;
      life.abort();
      return true;
    },
    async ended(): Promise<void> {
      await starting;
      await process?.ended;
    },
    async [Symbol.asyncDispose]() {
      life.abort();
      await starting.catch(() => {});
      await process?.ended;
    },
  };
}
