import { timingSafeEqual } from 'node:crypto';
import type { Log } from '../shared/primitives/log.ts';
import type { Backlog } from '../bridge/conversation/inbox/inbox.ts';
import type { Reports } from '../bridge/conversation/reports.ts';
import type { MetricsConfig } from '../config/process.ts';
import { hashKey, readBearer } from '../service/keys.ts';
import type { LeaseFigures } from '../bridge/stores/open-leases.ts';
import type { Pool } from '../shared/stores/database.ts';
import { sum } from '../shared/primitives/iterables.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { type Server, startServer } from './server.ts';

/** The metrics that Prometheus collects. */
export interface Metrics extends Reports {
  /** From now on, tells this too. */
  observe(observed: Observed): void;
  /** The metrics in Prometheus's text format. */
  render(): Promise<Response>;
}

/** What is read whenever the metrics are. */
interface Observed {
  /** What is left to do. */
  backlog?(): Promise<Backlog[]>;
  /** How many installations are in which state. */
  installations?(): Record<string, number>;
  /** What this process holds of a store that several share. */
  leases?(): LeaseFigures;
  /** How the connections to a server are used. */
  pool?(): Pool | undefined;
  /** How many sources are being read, by status. */
  jobs?(): Promise<{ status: string; count: number }[]>;
}

const seconds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Workspaces with a label of their own. */
const maxLabels = 100;

const characters = [100, 300, 1000, 3000, 10_000, 30_000];

/**
 * The metrics. Their library is loaded by `load` or by the first report, because loading it would slow
 * down the start.
 */
export function createMetrics(): Metrics & { load(): void } {
  let loaded: Promise<LoadedMetrics> | undefined;
  const observed: Observed = {};
  const load = () => (loaded ??= loadMetrics(observed));
  return {
    load: () => void load(),
    observe: (more) => void Object.assign(observed, more),
    setAside: (platform) => void load().then((metrics) => metrics.setAside(platform)),
    turnEnded: (turn) => void load().then((metrics) => metrics.turnEnded(turn)),
    refused: (platform) => void load().then((metrics) => metrics.refused(platform)),
    rated: (platform, choice) => void load().then((metrics) => metrics.rated(platform, choice)),
    render: async () => (await load()).render(),
  };
}

type LoadedMetrics = Required<Omit<Metrics, 'observe' | 'replies'>>;

async function loadMetrics(observed: Observed): Promise<LoadedMetrics> {
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } =
    await import('prom-client');
  const registry = new Registry();
  // The process itself: its memory, its time, and how late its event loop is.
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `causeway_${name}_total`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `causeway_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[]) => {
    const labelNames = ['platform'] as const;
    return new Histogram({ name: `causeway_reply_${name}`, help, labelNames, buckets, registers });
  };

  const turns = counter(
    'turns',
    'Finished turns, by outcome, and by workspace for the first hundred',
    'platform',
    'workspace',
    'outcome',
  );
  const writes = counter('writes', 'Writes of replies (posts and edits)', 'platform');
  const refused = counter(
    'refused_writes',
    'Writes that a platform rejected for its rate limit',
    'platform',
  );
  const feedback = counter(
    'feedback',
    'Feedback button presses, including changes of mind',
    'platform',
    'choice',
  );
  const unanswered = counter(
    'refusals',
    'Questions to which the service found no answer',
    'platform',
  );
  const firstText = histogram(
    'first_text_seconds',
    'Time from the first delta to the first text',
    seconds,
  );
  const staleness = histogram(
    'staleness_seconds',
    'Mean age of text that is not yet visible',
    seconds,
  );
  const tail = histogram(
    'tail_seconds',
    'Time from the end of the stream to the last text',
    seconds,
  );
  const length = histogram('characters', 'Length of replies', characters);
  const aside = counter(
    'answers_set_aside',
    'Answers that a platform did not accept for too long',
    'platform',
  );
  const open = gauge('inbox_open', 'Rows of the inbox that are not finished');
  const installed = gauge(
    'slack_installations',
    'Installations of the Slack app: active, refused by Slack, or removed',
    'state',
  );
  const oldestAge = gauge(
    'inbox_oldest_seconds',
    'Age of the oldest row of the inbox that is not finished',
  );
  const turnsOpen = gauge('turns_open', 'Turns that have not ended, by state', 'state');
  const turnsOldest = gauge(
    'turns_oldest_seconds',
    'Age of the oldest turn in each state',
    'state',
  );
  const jobsOpen = gauge('jobs_open', 'Sources being read, over all processes, by stage', 'stage');
  const pool = gauge('store_connections', 'Connections to Postgres, and what waits', 'state');
  const leases = gauge('leases_held', 'Workspaces and shards that this process works on');
  const taken = counter(
    'leases_taken',
    'Workspaces and shards that this process has taken, from another process or as the first',
  );
  const processes = gauge('processes', 'Processes on the store that are alive');

  /** What can't be read now is left out. */
  async function readObserved(): Promise<void> {
    const backlog = observed.backlog ? await observed.backlog().catch(() => undefined) : [];
    const jobs = (await observed.jobs?.().catch(() => undefined)) ?? [];
    const now = Date.now();
    for (const metric of [turnsOpen, turnsOldest, jobsOpen]) metric.reset();
    for (const metric of [open, oldestAge]) metric.remove();
    if (backlog) {
      open.set(sum(backlog.map((each) => each.open)));
      oldestAge.set((now - Math.min(now, ...backlog.map(({ oldest }) => oldest))) / 1000);
    }
    for (const { state, open, oldest } of backlog ?? []) {
      turnsOpen.set({ state }, open);
      turnsOldest.set({ state }, (now - oldest) / 1000);
    }
    for (const { status: stage, count } of jobs) jobsOpen.set({ stage }, count);
    for (const [state, amount] of Object.entries(observed.installations?.() ?? {}))
      installed.set({ state }, amount);
    for (const [state, amount] of Object.entries(observed.pool?.() ?? {}))
      pool.set({ state }, amount);
    const figures = observed.leases?.() ?? { held: 0, taken: 0, processes: 1 };
    leases.set(figures.held);
    taken.reset();
    taken.inc(figures.taken);
    processes.set(figures.processes);
  }

  const labelled = new Set<string>();

  /** Each label is a series that is kept, so there is a limit. */
  function labelOf(workspace: string): string {
    if (labelled.size < maxLabels) labelled.add(workspace);
    return labelled.has(workspace) ? workspace : 'other';
  }

  return {
    turnEnded({ platform, workspace, outcome, ...stats }) {
      turns.inc({ platform, workspace: labelOf(workspace), outcome });
      writes.inc({ platform }, stats.writes);
      refused.inc({ platform }, stats.refused);
      if (stats.firstTextMs !== undefined) {
        firstText.observe({ platform }, stats.firstTextMs / 1000);
        staleness.observe({ platform }, stats.stalenessMs / 1000);
        tail.observe({ platform }, stats.tailMs / 1000);
      }
      length.observe({ platform }, stats.length);
    },
    rated: (platform, choice) => feedback.inc({ platform, choice }),
    refused: (platform) => unanswered.inc({ platform }),
    setAside: (platform) => aside.inc({ platform }),
    async render() {
      await readObserved();
      const headers = { 'content-type': registry.contentType };
      return new Response(await registry.metrics(), { headers });
    },
  };
}

/** Answers a request for the metrics. */
export type AnswerMetrics = (request: Request) => Promise<Response>;

/** Serves the metrics to those who may read them. If nobody may, the log says so. */
export function createMetricsAccess(
  metrics: Pick<Metrics, 'render'>,
  { token, isClosed }: MetricsConfig,
  log: Log,
): AnswerMetrics {
  if (isClosed) {
    log.info(
      { variables: ['METRICS_TOKEN', 'METRICS_PORT'] },
      'other machines reach this process and neither variable is set: its metrics are closed',
    );
    return async () => refuse(403, closedText);
  }
  if (token === undefined) return () => metrics.render();
  const hash = hashKey(token);
  return async (request) => {
    const given = readBearer(request.headers.get('authorization'));
    const isRight = given !== undefined && timingSafeEqual(hashKey(given), hash);
    return isRight ? metrics.render() : refuse(401, tokenText, { 'www-authenticate': 'Bearer' });
  };
}

const closedText =
  'Other machines reach this process, so its metrics are closed. Set METRICS_TOKEN, or METRICS_PORT to read them on this machine alone.\n';
const tokenText = 'The metrics need METRICS_TOKEN, sent as “Authorization: Bearer …”.\n';

function refuse(status: number, text: string, headers: Record<string, string> = {}): Response {
  const contentType = { 'content-type': 'text/plain; charset=utf-8' };
  return new Response(text, { status, headers: { ...contentType, ...headers } });
}

/**
 * A server on loopback for the metrics alone.
 * @param port 0: any free port
 * @throws {RefusedError} when it can't listen there
 */
export async function startMetricsServer(port: number, answer: AnswerMetrics): Promise<Server> {
  const service = {
    fetch: async (request: Request) =>
      new URL(request.url).pathname === '/metrics'
        ? answer(request)
        : refuse(404, 'Not found. The metrics are at /metrics.\n'),
  };
  try {
    return await startServer({ host: '127.0.0.1', port }, { service, listeners: new Map() });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new RefusedError(
      code === 'EADDRINUSE'
        ? `Another process already listens at 127.0.0.1:${port}. Set another METRICS_PORT.`
        : `METRICS_PORT can’t be used: ${message}. Set another.`,
    );
  }
}
