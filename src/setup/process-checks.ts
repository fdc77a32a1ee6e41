import { request } from 'undici';
import type { Config } from '../config/config.ts';
import { type Check, fault, ok, unchecked } from './check.ts';

const timeoutMs = 3_000;

/** The process that may be running on this machine. */
export const processChecks: readonly Check<Pick<Config, 'host' | 'port'>>[] = [
  {
    name: 'Causeway',
    async run({ host, port }) {
      if (port === 0) return unchecked('not checked: PORT is 0, so its port is not known.');
      const origin = originOf(host, port);
      const answer = await read(`${origin}/readyz`);
      if (!answer) return unchecked(`not running at ${origin}.`, 'Run npm start.');
      if (answer.status === 200) return ok(`running and ready at ${origin}.`);
      if (answer.status === 503) return fault(`running, but ${answer.text}.`, 'Read its log.');
      return unchecked(`something else answers at ${origin}.`, 'Stop it, or set another PORT.');
    },
  },
];

/** A process that listens on all interfaces is reached on loopback. */
function originOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

async function read(url: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(timeoutMs) });
    return { status: statusCode, text: (await body.text()).trim() };
  } catch {
    return undefined;
  }
}
