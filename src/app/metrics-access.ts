import { timingSafeEqual } from 'node:crypto';
import type { MetricsConfig } from '../config/process.ts';
import type { Log } from '../bridge/conversation/ports.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { hashKey, readBearer } from '../service/keys.ts';
import type { Metrics } from './metrics.ts';
import { type Server, startServer } from './server.ts';

/** Answers a request for the metrics. */
export type AnswerMetrics = (request: Request) => Promise<Response>;

/** Shows the metrics to those who may read them. If that is nobody, the log says so. */
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
 * A server on loopback that has nothing but the metrics.
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new RefusedError(`METRICS_PORT can’t be used: ${reason}. Set another.`);
  }
}
