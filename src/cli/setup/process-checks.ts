import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { request } from 'undici';
import type { Config } from '../../config/config.ts';
import { openFile } from '../../shared/stores/open-error.ts';
import { type Check, fault, ok, unchecked } from './check.ts';

const timeoutMs = 3_000;

/** The files of the process, and the one that may be running on this machine. */
export const processChecks: readonly Check<Pick<Config, 'dataDir' | 'host' | 'port'>>[] = [
  {
    name: 'Data folder',
    fix: 'Set DATA_DIR to a folder that this user can write to.',
    async run({ dataDir }) {
      const found = existingPart(dataDir);
      if (!statSync(found).isDirectory()) return fault(`${found} is not a folder.`);
      const { R_OK, W_OK, X_OK } = constants;
      openFile(`DATA_DIR names ${dataDir}, which`, () => accessSync(found, R_OK | W_OK | X_OK));
      return ok(found === dataDir ? `${dataDir}.` : `${dataDir}, which the first start creates.`);
    },
  },
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

/** A folder, or the nearest one above it that exists. */
function existingPart(folder: string): string {
  const above = dirname(folder);
  return existsSync(folder) || above === folder ? folder : existingPart(above);
}

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
