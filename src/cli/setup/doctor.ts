import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { request } from 'undici';
import { readStore } from '../../bridge/stores/open-store.ts';
import { type Config, ConfigError, readConfig } from '../../config/config.ts';
import { refuseOpenSandbox } from '../../config/process.ts';
import { explainMisspelled } from '../../config/variables.ts';
import { RefusedError } from '../../shared/primitives/refused-error.ts';
import { OpenError, openFileSync } from '../../shared/stores/open-error.ts';
import { originOf } from '../../app/server.ts';
import { examineChatbot } from './chatbot-checks.ts';
import { type Check, fault, type Line, ok, runChecks, unchecked } from './check.ts';
import { examineDiscord } from './discord-checks.ts';
import { examineSlack } from './slack-checks.ts';

type Variables = Record<string, string | undefined>;

/**
 * Checks an installation: its configuration, then each platform and the chatbot service. It changes
 * nothing, and works beside a running process.
 */
export async function examine(env: Variables): Promise<Line[]> {
  let config: Config;
  try {
    config = readConfig(env, 'service');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const rest = unchecked('the rest is checked once the configuration is right.');
    return [...error.faults.map(toLine), { name: configuration, ...rest }];
  }
  await using state = await readState(config.storeUrl);
  const { store } = state;
  const { slack, discord } = config;
  return [
    { name: configuration, state: 'ok', says: 'every variable is well-formed.' },
    ...config.misspelled.map((variable) => ({
      name: configuration,
      ...unchecked(explainMisspelled(variable)),
    })),
    ...(slack || discord ? [] : explainOpenSandbox(config.host)),
    ...(await runChecks(processChecks, config)),
    ...state.lines,
    ...(slack
      ? await examineSlack(slack, config, store)
      : [notConnected('Slack', 'SLACK_BOT_TOKEN')]),
    ...(discord
      ? await examineDiscord(discord, config)
      : [notConnected('Discord', 'DISCORD_TOKEN')]),
    ...(await examineChatbot(config, store)),
  ];
}

const configuration = 'Configuration';

/** A fault of the configuration, as a line of the report. */
export function toLine(says: string): Line {
  // The name of the variable comes first.
  return { name: configuration, state: 'fault', says, variable: /^[A-Z]\w+/.exec(says)?.[0] };
}

/** The service alone may be reached by others; `npm start` would refuse to show them the sandbox. */
function explainOpenSandbox(host: string): Line[] {
  const problem = refuseOpenSandbox(host);
  return problem ? [{ name: configuration, ...unchecked(`for npm start, HOST ${problem}`) }] : [];
}

const readyTimeoutMs = 3_000;
/** How the bridge and the service alone say that they are ready. */
const readyTexts = new Set<string | undefined>(['ready', '{"status":"ready"}']);

/** The data folder, and the process that may be running on this machine. */
const processChecks: readonly Check<Pick<Config, 'dataDir' | 'host' | 'port'>>[] = [
  {
    name: 'Data folder',
    fix: 'Set DATA_DIR to a folder that this user can write to.',
    async run({ dataDir }) {
      const found = existingPart(dataDir);
      if (!statSync(found).isDirectory()) return fault(`${found} is not a folder.`);
      const { R_OK, W_OK, X_OK } = constants;
      openFileSync(`DATA_DIR names ${dataDir}, which`, () => accessSync(found, R_OK | W_OK | X_OK));
      return ok(found === dataDir ? `${dataDir}.` : `${dataDir}, which the first start creates.`);
    },
  },
  {
    name: 'Causeway',
    async run({ host, port }) {
      if (port === 0) return unchecked('not checked: PORT is 0, so its port is not known.');
      const origin = originOf({ address: host, port });
      const answer = await read(`${origin}/readyz`);
      if (!answer) return unchecked(`not running at ${origin}.`, 'Run npm start.');
      const [first, ...warnings] = answer.text.split('\n');
      if (answer.status === 200 && readyTexts.has(first)) {
        return [ok(`running and ready at ${origin}.`), ...warnings.map((each) => unchecked(each))];
      }
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

async function read(url: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.timeout(readyTimeoutMs),
    });
    return { status: statusCode, text: (await body.text()).trim() };
  } catch {
    return undefined;
  }
}

/** What the process stored, or the line that says why it can't be read. */
async function readState(storeUrl: string) {
  try {
    const store = await readStore(storeUrl);
    return { store, lines: [], [Symbol.asyncDispose]: async () => store?.[Symbol.asyncDispose]() };
  } catch (error) {
    if (!(error instanceof OpenError || error instanceof RefusedError)) throw error;
    const lines: Line[] = [{ name: 'Stored state', ...fault(error.message) }];
    return { lines, async [Symbol.asyncDispose]() {} };
  }
}

function notConnected(name: string, variable: string): Line {
  return { name, ...unchecked(`not connected: ${variable} is not set.`, 'Run npm run connect.') };
}

/** Whether there is no fault. */
export function isHealthy(lines: readonly Line[]): boolean {
  return lines.every(({ state }) => state !== 'fault');
}

const marks = { ok: '✓', fault: '✗', unchecked: '–' };

/** The report, one line for each finding. */
export function renderReport(lines: readonly Line[]): string {
  return lines
    .map(({ name, state, says, fix }) => {
      const line = `${marks[state]} ${name}: ${says}`;
      return `${fix ? `${line} ${fix}` : line}\n`;
    })
    .join('');
}

/** The report as JSON. */
export function renderJson(lines: readonly Line[]): string {
  return `${JSON.stringify({ ok: isHealthy(lines), checks: lines }, null, 2)}\n`;
}
