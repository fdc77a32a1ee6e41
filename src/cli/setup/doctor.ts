import { type Config, ConfigError, readConfig } from '../../config/config.ts';
import type { SlackConfig } from '../../config/platforms.ts';
import { explainMisspelled } from '../../config/variables.ts';
import { RefusedError } from '../../shared/primitives/refused-error.ts';
import { OpenError } from '../../shared/stores/open-error.ts';
import { readStore, type StoreReader } from '../../bridge/stores/open-store.ts';
import { lastSigned } from '../../bridge/stores/signed-requests.ts';
import { askDiscord } from './ask-discord.ts';
import { askSlack } from './ask-slack.ts';
import { fault, type Line, runChecks, unchecked } from './check.ts';
import { discordChecks } from './discord-checks.ts';
import { processChecks } from './process-checks.ts';
import { modelChecks } from './model-checks.ts';
import { askHosted, builtInChecks, createHostedClient, hostedChecks } from './service-checks.ts';
import { slackAppChecks } from './slack-app-checks.ts';
import {
  type SlackAsked,
  slackChannelChecks,
  slackHttpChecks,
  slackSocketChecks,
  slackTokenChecks,
} from './slack-checks.ts';
import { declaredManifest } from './slack-manifest.ts';

type Variables = Record<string, string | undefined>;

/**
 * Checks an installation: its configuration, then each platform and the chatbot service. It changes
 * nothing, and works beside a running process.
 */
export async function examine(env: Variables): Promise<Line[]> {
  const configuration = 'Configuration';
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const rest = unchecked('the rest is checked once the configuration is right.');
    const faults = error.faults.map((says): Line => {
      // The name of the variable comes first.
      const variable = /^[A-Z]\w+/.exec(says)?.[0];
      return { name: configuration, state: 'fault', says, variable };
    });
    return [...faults, { name: configuration, ...rest }];
  }
  using state = readState(config.storeUrl);
  const { store } = state;
  return [
    { name: configuration, state: 'ok', says: 'every variable is well-formed.' },
    ...config.misspelled.map((variable) => ({
      name: configuration,
      ...unchecked(explainMisspelled(variable)),
    })),
    ...(await runChecks(processChecks, config)),
    ...state.lines,
    ...(await examineSlack(config, store)),
    ...(await examineDiscord(config)),
    ...(await examineService(config, store)),
  ];
}

/** What the process stored, or the line that says why it can't be read. */
function readState(storeUrl: string) {
  try {
    const store = readStore(storeUrl);
    return { store, lines: [], [Symbol.dispose]: () => store?.[Symbol.dispose]() };
  } catch (error) {
    if (!(error instanceof OpenError || error instanceof RefusedError)) throw error;
    const lines: Line[] = [{ name: 'Stored state', ...fault(error.message) }];
    return { lines, [Symbol.dispose]() {} };
  }
}

async function examineSlack(config: Config, store: StoreReader | undefined): Promise<Line[]> {
  const { slack } = config;
  if (!slack) return [notConnected('Slack', 'SLACK_BOT_TOKEN')];
  const asked: SlackAsked = {
    ...askSlack(slack),
    declared: declaredManifest(config.commandNames),
    lastSigned: async () => store && lastSigned(store, secretOf(slack)),
  };
  const delivery = slack.delivery.kind === 'socket' ? slackSocketChecks : slackHttpChecks;
  const checks = [...slackTokenChecks, ...delivery, ...slackChannelChecks, ...slackAppChecks];
  return runChecks(checks, asked);
}

async function examineDiscord(config: Config): Promise<Line[]> {
  if (!config.discord) return [notConnected('Discord', 'DISCORD_TOKEN')];
  using asked = askDiscord(config.discord, config);
  return await runChecks(discordChecks, asked);
}

async function examineService(config: Config, store: StoreReader | undefined): Promise<Line[]> {
  const { chatbot } = config;
  if (chatbot.kind === 'embedded') {
    return [
      ...(await runChecks(builtInChecks, { config, store })),
      ...(await runChecks(modelChecks, chatbot)),
    ];
  }
  await using client = createHostedClient(chatbot.url, chatbot.apiKey);
  return await runChecks(hostedChecks, askHosted(client, chatbot.uuid));
}

function notConnected(name: string, variable: string): Line {
  return { name, ...unchecked(`not connected: ${variable} is not set.`, 'Run npm run connect.') };
}

function secretOf({ delivery }: SlackConfig): string {
  return delivery.kind === 'http' ? delivery.signingSecret : '';
}

/** Whether nothing must be fixed. */
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
