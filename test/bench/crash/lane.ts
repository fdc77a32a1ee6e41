import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bridge, createBridge, isOpen } from '../judge/bridge.ts';
import type { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import type { ChangeKind, Finding, Question } from '../judge/evidence.ts';
import {
  createPeople,
  persons,
  type Place,
  type PlatformName,
  platforms,
  type Said,
} from '../judge/people.ts';
import { createPlaces, settle } from '../judge/places.ts';
import type { ReplyPlan } from '../judge/service.ts';
import { createWorld, type World } from '../judge/world.ts';
import { act, type ChangedQuestion, editedWords } from './acts.ts';
import { describeKill, type KillPoint, type PlannedQuestion, type RunPlan } from './plan.ts';

/** A world and a bridge in it, which lives through one run after another on the same data. */
export interface Lane extends AsyncDisposable {
  /** Does what the plan says, waits until all is quiet, and judges. */
  run(plan: RunPlan): Promise<RunResult>;
  /**
   * Starts the process again before the first run, so that each run meets one that has just started:
   * a seed alone repeats it.
   */
  renew(): Promise<void>;
  /** Judges all runs once more, by their seeds: something may have come late. */
  judgeAgain(): Map<number, Finding[]>;
  /** What the processes left when they died: how many rows of which kind in which state. */
  left: Readonly<Record<string, number>>;
}

export interface RunResult {
  findings: Finding[];
  /** Whether the process died at the planned moment, not only once all was quiet. */
  reached: boolean;
  /** How often the process died. */
  kills: number;
  /** What was done to questions. */
  changes: ChangeKind[];
  /** What happened, for people who look into a finding. */
  story: string[];
}

/** Opens the bridge that is to be killed, or several on one store. */
export type OpenBridge = (
  env: Record<string, string>,
  folder: string,
  world: World,
) => Promise<Bridge>;

const waiting = { patienceMs: 8_000, maxMs: 120_000 };

const plainReply: ReplyPlan = { pieces: 2, gapMs: 10, deserted: 'completes' };

/** @param open starts nothing yet; by default, one bridge on SQLite */
export async function openLane(
  open: OpenBridge = async (env, folder) => createBridge({ ...env, DATA_DIR: folder }),
): Promise<Lane> {
  await using parts = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-crash-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const replies = new Map<string, ReplyPlan>();
  const world = parts.use(
    await createWorld({ planFor: (query) => replies.get(query) ?? plainReply }),
  );
  const people = createPeople(world.sandbox);
  const bridge = parts.use(await open({ ...world.env, LOG_LEVEL: 'warn' }, folder, world));
  /** The last question in a thread of each platform in which the bot has answered. */
  const known = new Map<PlatformName, Question>();
  const judged = new Map<number, () => Finding[]>();

  async function run(plan: RunPlan): Promise<RunResult> {
    let stopWatching = () => {};
    const story = createStory();
    const places = createPlaces(people);
    const since = {
      asked: world.service.asked.length,
      sent: world.sent.length,
      stored: Date.now(),
    };
    const acts: Promise<void>[] = [];
    const changed: ChangedQuestion[] = [];
    const judgeRun = (which?: 'all' | 'own') => {
      const evidence = {
        asked: world.service.asked.slice(since.asked),
        wasSent: (name: string) =>
          world.sent.slice(since.sent).includes(name) || bridge.diedAsking(name),
        isReadable: bridge.couldRead,
        inbox: bridge.inbox(since.stored),
        hasTold: world.hasTold,
        wasLate: world.wasLate,
        storeWasAway: bridge.storeWasAway,
      };
      const rows = which === 'own' ? [] : evidence.inbox;
      return [...places.judge(evidence, which), ...judgeRows(rows)];
    };

    async function ask(planned: PlannedQuestion, index: number): Promise<void> {
      await sleep(planned.atMs);
      const { platform, kind, reply, change } = planned;
      const thread = known.get(platform);
      const isRepeated = kind === 'repeated' && thread !== undefined;
      const name = isRepeated ? thread.name : `q${plan.seed}.${index + 1}`;
      const text = isRepeated ? thread.text : `What is ${name}?`;
      replies.set(text, reply);
      const said = await say(planned, text, thread?.place);
      const question = { name, text, place: said.place };
      story.tell(`${platform}, ${kind}: “${text}” ${JSON.stringify({ ...reply, change })}`);
      if (!change) {
        if (kind === 'follow-up' || kind === 'repeated') known.set(platform, question);
        return places.add(question);
      }
      const deed = { kind: change.kind, said, isAcknowledged: false };
      const awaiting = { ...question, change: deed, hasMention: kind === 'mention' };
      replies.set(editedWords(question), reply);
      places.add(awaiting);
      changed.push(awaiting);
      const { tell } = story;
      const done = act(awaiting, change, { world, people, places, tell });
      acts.push(done.catch((error: unknown) => tell(`${change.kind} failed: ${String(error)}`)));
    }

    function dieAt(point: KillPoint): Promise<true> {
      const dead = Promise.withResolvers<true>();
      let left = point.nth;
      const die = (port?: number) => {
        if (bridge.kill(port)) story.tell(`kill -9 ${describeKill(point)}`);
        dead.resolve(true);
      };
      stopWatching = world.watch(({ step, phase, port }) => {
        if (step !== point.step || phase !== point.phase) return undefined;
        left -= 1;
        if (left !== 0) return undefined;
        if (point.afterMs > 0) setTimeout(() => die(port), point.afterMs);
        else die(port);
        return phase === 'after' ? undefined : 'hang up';
      });
      return dead.promise;
    }

    /** What the bridge stored, in order, and what it asked, in ms since the beginning. */
    function tellRows(): void {
      for (const row of bridge.inbox(since.stored)) {
        const { kind, state, messageId, query, edited, editNote, unsettled, attempts } = row;
        const told = { state, messageId, query, edited, editNote, unsettled, attempts };
        story.tell(`a ${kind} of ${row.createdAt - since.stored} ms: ${JSON.stringify(told)}`);
      }
      for (const { query, at } of world.service.asked.slice(since.asked)) {
        const askedMs = Math.round(performance.timeOrigin + at - since.stored);
        story.tell(`“${query}” was asked at ${askedMs} ms`);
      }
    }

    const settled = async () => {
      await Promise.all(acts);
      return settle(world, () => judgeRun(), waiting);
    };
    const dead = dieAt(plan.kill);
    const asked = Promise.all(plan.questions.map(ask));
    const reached = await Promise.race([dead, asked.then(settled).then(() => false)]);
    if (!reached) {
      stopWatching();
      story.tell('kill -9 once all was quiet');
      bridge.kill();
    }
    await asked;
    await bridge.ended();
    await Promise.all(
      plan.meanwhile.map((each, index) => ask(each, plan.questions.length + index)),
    );
    let kills = 1;
    const deadAgain = plan.killAgain && dieAt(plan.killAgain);
    await bridge.start();
    story.tell('started again');
    let findings = await Promise.race([settled(), ...(deadAgain ? [deadAgain] : [])]);
    if (findings === true) {
      await bridge.ended();
      await bridge.start();
      story.tell('started a third time');
      findings = await settled();
      kills += 1;
    }
    stopWatching();
    judged.set(plan.seed, () => judgeRun('own'));
    tellRows();
    const changes = changed.flatMap(({ change: { at, kind } }) => (at === undefined ? [] : [kind]));
    return { findings, reached, kills, changes, story: [...story.lines, bridge.output()] };
  }

  function say(
    { platform, kind, channel, person }: PlannedQuestion,
    text: string,
    thread?: Place,
  ): Promise<Said> {
    if (kind === 'chat') return people[platform].chat(channel, text);
    if (kind === 'direct') return people[platform].direct(person, text);
    return kind === 'mention' || !thread
      ? people[platform].mention(channel, text)
      : people[platform].follow(thread, text);
  }

  /**
   * Has the bot answer in a thread of each platform, where later questions follow, and to everyone
   * who writes to it directly: a bot can't ask Discord who wrote to it for the first time.
   */
  async function begin(): Promise<void> {
    await bridge.start();
    // Who writes while a shard changes hands is not known to anybody.
    await bridge.shared?.();
    await world.quiet(1_000, AbortSignal.timeout(waiting.maxMs));
    const places = createPlaces(people);
    const add = (name: string, place: Place) => {
      const question = { name, text: `What is ${name}?`, place };
      places.add(question);
      return question;
    };
    for (const [index, platform] of platforms.entries()) {
      const name = `q0.${index}`;
      const { place } = await people[platform].mention('general', `What is ${name}?`);
      known.set(platform, add(name, place));
    }
    for (const [index, person] of persons.entries()) {
      const name = `q0.1${index}`;
      const { place } = await people.discord.direct(person, `What is ${name}?`);
      add(name, place);
    }
    const { asked } = world.service;
    const { hasTold, wasLate } = world;
    const always = { wasSent: () => true, isReadable: () => true };
    const evidence = { asked, ...always, inbox: [], hasTold, wasLate };
    const judgeAll = () => places.judge(evidence);
    const [finding] = await settle(world, judgeAll, waiting);
    if (finding) throw new Error(`Before any crash: ${finding.question}: ${finding.reason}`);
  }

  async function renew(): Promise<void> {
    bridge.kill();
    await bridge.ended();
    await bridge.start();
    await settle(world, () => [], waiting);
  }

  await begin();
  const opened = parts.move();
  return {
    run,
    renew,
    left: bridge.left,
    judgeAgain: () => new Map([...judged].map(([seed, judgeRun]) => [seed, judgeRun()])),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What was stored is done in the end. A reply that broke off is looked for as long as it takes. */
function judgeRows(inbox: readonly InboxRow[]): Finding[] {
  return inbox.flatMap(({ kind, state, query }): Finding[] =>
    isOpen({ state })
      ? [{ kind: 'unheeded', question: query ?? '', reason: `its ${kind} stays ${state}` }]
      : [],
  );
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
