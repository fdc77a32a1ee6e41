import type { Moment } from '../judge/moments.ts';
import type { ChangeKind } from '../judge/evidence.ts';
import { channels, persons, type PlatformName, platforms } from '../judge/people.ts';
import { createRandom, type Random } from '../judge/random.ts';
import type { ReplyPlan } from '../judge/service.ts';

/** The moment at which the process dies: so long after the n-th moment of its kind in the run. */
export interface KillPoint extends Moment {
  nth: number;
  afterMs: number;
}

/** What somebody does to a question, and when. */
export interface PlannedChange {
  kind: ChangeKind;
  /** How far its answer is then: not begun, behind another one in its thread, begun, or ended. */
  stage: 'unread' | 'waiting' | 'running' | 'answered';
  /** Later by this; between two presses. */
  afterMs: number;
}

/** A message that somebody writes, and the reply to it. */
export interface PlannedQuestion {
  platform: PlatformName;
  /**
   * A mention in a channel, a message in a thread that the bot knows, the same words once more in
   * it, a direct message, or a message to others, which an edit makes a mention.
   */
  kind: 'mention' | 'follow-up' | 'repeated' | 'direct' | 'chat';
  /** The channel of a mention. */
  channel: string;
  /** The person who writes a direct message. */
  person: string;
  /** When, in ms from the beginning of the run or, for the last ones, from the crash. */
  atMs: number;
  reply: ReplyPlan;
  change?: PlannedChange;
}

/** A run: what people ask, and when the process dies. Equal seeds make equal plans. */
export interface RunPlan {
  seed: number;
  kill: KillPoint;
  /** A second death, while the process recovers from the first; it may never come. */
  killAgain?: KillPoint;
  questions: PlannedQuestion[];
  /** Asked while the process is down. */
  meanwhile: PlannedQuestion[];
}

/** Each step of a turn, in its order. Every call dies before it, unanswered, and after it. */
const killMoments: readonly Moment[] = [
  { step: 'delivery', phase: 'after' },
  ...around('look-up'),
  { step: 'acceptance', phase: 'after' },
  { step: 'change', phase: 'after' },
  ...around('status'),
  ...around('session'),
  ...around('ask'),
  { step: 'delta', phase: 'after' },
  ...around('thread'),
  ...around('post'),
  ...around('edit'),
  { step: 'change', phase: 'after' },
  { step: 'end', phase: 'after' },
  ...around('read'),
  ...around('last edit'),
];

/** Where a process that recovers dies again. */
const recoveryMoments: readonly Moment[] = [
  { step: 'change', phase: 'after' },
  ...around('read'),
  ...around('ask'),
  ...around('post'),
  ...around('last edit'),
];

/** How often a step occurs in every run, where that is fewer than three times. */
const maxNth: Partial<Record<Moment['step'], number>> = {
  acceptance: 1,
  change: 2,
  edit: 1,
  session: 1,
  thread: 1,
};

/** What the bridge does by itself, such as its commits, happens in between. */
const delaysMs = [0, 0, 1, 2, 5, 10, 20, 50] as const;

/** The plan of a seed. Consecutive seeds go through all moments. */
export function planRun(seed: number): RunPlan {
  const random = createRandom(seed);
  const kill = toKillPoint(killMoments[seed % killMoments.length], random);
  const again = random.happens(0.8);
  return {
    seed,
    kill,
    ...(again && { killAgain: toKillPoint(random.pick(recoveryMoments), random) }),
    questions: [...planQuestions(random, kill), ...planChanged(seed, random)],
    meanwhile: random.happens(0.2) ? [planQuestion(random, 'direct')] : [],
  };
}

/** Three or four at once, so that one crash meets turns in several of their steps. */
function planQuestions(random: Random, { step }: KillPoint): PlannedQuestion[] {
  const kinds = ['mention', 'direct', random.pick(['follow-up', 'repeated'] as const)] as const;
  const questions = kinds.map((kind) => planQuestion(random, kind));
  const first = questions[0];
  // Only Discord has threads to open, only Slack's events are acknowledged, and only long replies
  // are edited on the way.
  if (first && step === 'thread') first.platform = 'discord';
  if (first && step === 'acceptance') first.platform = 'slack';
  if (first && step === 'edit') first.reply = { ...first.reply, pieces: 12, gapMs: 120 };
  if (random.happens(0.5)) {
    const follower = planQuestion(random, 'follow-up');
    questions.push({ ...follower, platform: questions[2]?.platform ?? follower.platform });
  }
  return questions.toSorted((a, b) => a.atMs - b.atMs);
}

const changes: readonly Omit<PlannedChange, 'afterMs'>[] = [
  { kind: 'edit', stage: 'unread' },
  { kind: 'removal', stage: 'waiting' },
  { kind: 'again', stage: 'answered' },
  { kind: 'edit', stage: 'running' },
  { kind: 'removal', stage: 'unread' },
  { kind: 'stop', stage: 'running' },
  { kind: 'edit', stage: 'waiting' },
  { kind: 'helpful', stage: 'answered' },
  { kind: 'removal', stage: 'running' },
  { kind: 'mention', stage: 'waiting' },
  { kind: 'stop', stage: 'waiting' },
  { kind: 'edit', stage: 'answered' },
  { kind: 'removal', stage: 'answered' },
];

/** Two changed questions a run. Consecutive seeds go through all changes, on both platforms. */
function planChanged(seed: number, random: Random): PlannedQuestion[] {
  return [2 * seed, 2 * seed + 1].flatMap((index) => {
    const change = changes[index % changes.length];
    const platform = platforms[Math.floor(index / changes.length) % platforms.length];
    return change && platform ? planChange(random, change, platform) : [];
  });
}

function planChange(
  random: Random,
  { kind, stage }: Omit<PlannedChange, 'afterMs'>,
  platform: PlatformName,
): PlannedQuestion[] {
  const change = { kind, stage, afterMs: random.pick([0, 10, 50, 150]) };
  const isBehind = stage === 'waiting' && (kind === 'edit' || kind === 'removal');
  // Slack's own button to stop is in direct messages. Elsewhere, its place is the question's own.
  const isDirect = kind === 'stop' && stage === 'waiting';
  const where = isBehind
    ? 'follow-up'
    : isDirect
      ? 'direct'
      : kind === 'mention'
        ? 'chat'
        : 'mention';
  const question = planQuestion(random, where);
  const reply = { ...question.reply, ...replyFor(kind, stage) };
  const changed = { ...question, platform: isDirect ? 'slack' : platform, reply, change } as const;
  if (!isBehind) return [changed];
  const slow: ReplyPlan = { pieces: 12, gapMs: 150, deserted: 'completes' };
  const first = { ...planQuestion(random, 'follow-up'), platform, reply: slow };
  // Slack has two connections, so messages of the same moment may arrive in any order.
  return [first, { ...changed, atMs: first.atMs + 300 }];
}

/** A reply to which the change can happen. */
function replyFor(kind: ChangeKind, stage: PlannedChange['stage']): Partial<ReplyPlan> {
  if (kind === 'again') return { fails: 'refused-once' };
  return stage === 'running' ? { pieces: 10, gapMs: 120 } : {};
}

function planQuestion(random: Random, kind: PlannedQuestion['kind']): PlannedQuestion {
  // Where a thread goes on, nobody looks for the rest of an earlier reply.
  const isHungUp = kind === 'mention' && random.happens(0.2);
  return {
    platform: random.pick(platforms),
    kind,
    channel: random.pick(channels),
    person: random.pick(persons),
    atMs: random.whole(0, 300),
    reply: {
      pieces: random.whole(2, 10),
      gapMs: random.whole(10, 120),
      deserted: random.pick(['completes', 'completes', 'leaves', 'forgets']),
      ...(isHungUp && { deserted: 'completes', fails: 'hung-up' }),
    },
  };
}

function toKillPoint(moment: Moment | undefined, random: Random): KillPoint {
  if (!moment) throw new Error('There is no such moment.');
  const afterMs = moment.phase === 'after' ? random.pick(delaysMs) : 0;
  const nth = random.whole(1, maxNth[moment.step] ?? 3);
  return { ...moment, nth, afterMs };
}

function around(step: Moment['step']): Moment[] {
  return [
    { step, phase: 'before' },
    { step, phase: 'unanswered' },
    { step, phase: 'after' },
  ];
}

/** As it is printed, such as `before the 2nd ask`. */
export function describeKill({ step, phase, nth, afterMs }: KillPoint): string {
  return phase === 'after' ? `${afterMs} ms after ${step} ${nth}` : `${phase} ${step} ${nth}`;
}
