import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type ReplyCurve, type ReplyMeasure, type ReplyWatch, watchReply } from './measure.ts';
import { discordPeople, type PlatformName, slackPeople } from './people.ts';
import { answerQuestions } from './process.ts';
import { readTokens, type Script } from './script.ts';
import { startUpstream } from './upstream.ts';

/** Everything but the bridge: the platforms, the people on them, and the chatbot service. */

export interface Run {
  platform: PlatformName;
  scripts: Script[];
  /** Whether the platform's documented limits are enforced. */
  rateLimits: boolean;
  /** The bot is asked in threads that are open already. */
  inThreads: boolean;
  /** On Slack: how many channels people ask in, by turns. */
  channels?: number;
  /** How long after the last reply's end its text may still come. */
  patienceMs?: number;
}

export interface RunMeasure {
  replies: ReplyMeasure[];
  /** Calls of the platform's API. */
  calls: number;
  /** How many of them got a 429. */
  refused: number;
  /** How the replies grew whose last text came after the median time, and after the longest. */
  median: ReplyCurve;
  worst: ReplyCurve;
}

export interface WorldAddress {
  upstream: string;
  slack: { botToken: string; appToken: string; apiUrl: string };
  discord: { token: string; apiUrl: string };
}

/** A call takes this long; what it writes is visible half-way. */
const latencyMs = 80;

const usualPatienceMs = 30_000;

/** The windows of Discord's limits last no longer, but for those of single threads. */
const windowMs = 1_000;

const watches = new Map<string, ReplyWatch>();
const counts = { calls: 0, refused: 0 };
let onEnd: (script: Script) => void = () => {};

const upstream = await startUpstream({
  onDelta: ({ query }) => watches.get(query)?.sent.push(performance.now()),
  onEnd(script) {
    const watch = watches.get(script.query);
    if (watch) watch.ended = performance.now();
    onEnd(script);
  },
});
const sandbox = await openSandbox();
const people = { slack: slackPeople(sandbox), discord: discordPeople(sandbox) };

async function openSandbox(): Promise<Sandbox> {
  let origin = '';
  const sandbox = createSandbox({ database: ':memory:', origin: () => origin });
  const listener = getRequestListener((request, connection) => sandbox.fetch(request, connection));
  const server = createServer((request, response) => {
    counts.calls += 1;
    response.once('finish', () => {
      if (response.statusCode === 429) counts.refused += 1;
    });
    void listener(request, response);
  });
  server.on('upgrade', (request, socket, head) => sandbox.upgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return sandbox;
}

/** What is about to run; `places` are the threads or channels to ask in, one for each script. */
let prepared: (Run & { places: (string | undefined)[] }) | undefined;

async function prepare(run: Run): Promise<void> {
  const { faults, openThread, openChannel } = people[run.platform];
  faults.clear();
  faults.rateLimits = false;
  watches.clear();
  for (const { query } of run.scripts) watches.set(query, watchReply());
  upstream.load(run.scripts);
  const threads = run.inThreads ? run.scripts.map(async () => openThread?.()) : [];
  const opened = Array.from({ length: run.channels ?? 0 }, (_, at) => openChannel?.(`crowd-${at}`));
  const channels = opened.length > 0 ? run.scripts.map((_, at) => opened[at % opened.length]) : [];
  prepared = { ...run, places: channels.length > 0 ? channels : await Promise.all(threads) };
  // What the preparation has used of the bot's limit is back before the run.
  if (run.inThreads) await sleep(windowMs);
}

/** Has everything asked, and resolves once all replies are seen whole, or will never be. */
async function run(): Promise<RunMeasure> {
  if (!prepared) throw new Error('Nothing is prepared.');
  const { platform, scripts, rateLimits, places, patienceMs = usualPatienceMs } = prepared;
  const { ask, watch, faults, editing } = people[platform];
  Object.assign(faults, { latency: latencyMs, rateLimits });
  Object.assign(counts, { calls: 0, refused: 0 });
  onEnd = ({ refuseLast }) => {
    if (refuseLast) faults.inject({ method: editing, times: 1, retryAfter: 1 });
  };

  const replies = new Map<string, { script: Script; messages: Map<string, string> }>();
  const whole = new Set<string>();
  const allWhole = Promise.withResolvers<void>();
  const leave = watch(({ thread, message, text }) => {
    const reply = replies.get(thread);
    const seen = reply && watches.get(reply.script.query);
    if (!seen) return;
    reply.messages.set(message, text);
    const texts = [...reply.messages.values()].join('\n');
    seen.see({ at: performance.now(), tokens: readTokens(texts) });
    if (seen.isWhole && hasSaidWhy(texts, reply.script)) whole.add(reply.script.query);
    if (whole.size === scripts.length) allWhole.resolve();
  });

  await Promise.all(
    scripts.map(async (script, index) => {
      await sleep(script.atMs);
      const thread = await ask(script.query, places[index]);
      replies.set(thread, { script, messages: new Map() });
    }),
  );
  const longest = Math.max(...scripts.map(({ overMs }) => overMs));
  const given = new AbortController();
  await Promise.race([allWhole.promise, wait(longest + patienceMs, given.signal)]);
  given.abort();
  leave();
  const byTail = scripts
    .map((script) => find(script))
    .toSorted((a, b) => a.measure().tailMs - b.measure().tailMs);
  const curveAt = (index: number) => byTail[index]?.curve() ?? { sent: [], seen: [] };
  return {
    replies: scripts.map((script) => find(script).measure()),
    ...counts,
    median: curveAt(Math.floor((byTail.length - 1) / 2)),
    worst: curveAt(byTail.length - 1),
  };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => {});
}

/** A reply whose upstream died is whole once it says so. */
function hasSaidWhy(texts: string, { diesAfter }: Script): boolean {
  return diesAfter === undefined || texts.includes('⚠️');
}

function find({ query }: Script): ReplyWatch {
  const watch = watches.get(query);
  if (!watch) throw new Error(`Nobody watched the reply to “${query}”.`);
  return watch;
}

const doings = {
  async address(): Promise<WorldAddress> {
    const { slack, discord } = sandbox;
    const { botToken, appToken, apiUrl } = slack.credentials;
    const { credentials } = discord;
    return {
      upstream: upstream.origin,
      slack: { botToken, appToken, apiUrl },
      discord: { token: credentials.token, apiUrl: credentials.apiUrl },
    };
  },
  /** The upstream answers from now on; the people wait. */
  prepare,
  run,
};

export type World = typeof doings;

answerQuestions(doings);
