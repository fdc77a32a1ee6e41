import { type Config, ConfigError, readConfig } from '../../config/config.ts';
import { examineChatbot } from './chatbot-checks.ts';
import type { Line } from './check.ts';
import { examineDiscord } from './discord-checks.ts';
import { toLine } from './doctor.ts';
import { examineSlack } from './slack-checks.ts';

type Variables = Record<string, string | undefined>;

/** The variables that `npm run connect` asks for, and writes. */
const asked = [
  'SLACK_BOT_TOKEN',
  'SLACK_CLIENT_ID',
  'SLACK_CLIENT_SECRET',
  'SLACK_APP_TOKEN',
  'SLACK_SIGNING_SECRET',
  'DISCORD_TOKEN',
  'CHATBOT_API_URL',
  'CHATBOT_API_KEY',
  'CHATBOT_UUID',
] as const;

export type AskedVariable = (typeof asked)[number];

/** The secrets that it creates for an app that many workspaces install. */
export const created = ['SLACK_STATE_SECRET', 'SECRETS_KEY'] as const;

/** The variables that it writes. */
export const written = [...asked, ...created, 'SLACK_AGENT_VIEW'] as const;

export type WrittenVariable = (typeof written)[number];

/** Stands for what is asked for later, and is long enough for any of it. */
const later = 'asked-for-later';

/** The environment's own values of what makes a Slack app. */
const slackApp = {
  SLACK_API_URL: undefined,
  SLACK_BOT_TOKEN: undefined,
  SLACK_CLIENT_ID: undefined,
  SLACK_CLIENT_SECRET: undefined,
  SLACK_STATE_SECRET: undefined,
  SECRETS_KEY: undefined,
};

/** The variables that each is checked with: undefined for the environment's own value. */
const checkedWith: Record<AskedVariable, Record<string, typeof later | undefined>> = {
  SLACK_BOT_TOKEN: { SLACK_API_URL: undefined, SLACK_SIGNING_SECRET: later },
  SLACK_CLIENT_ID: { ...slackApp, SLACK_CLIENT_SECRET: later, SLACK_SIGNING_SECRET: later },
  SLACK_CLIENT_SECRET: { ...slackApp, SLACK_SIGNING_SECRET: later },
  SLACK_APP_TOKEN: slackApp,
  SLACK_SIGNING_SECRET: slackApp,
  DISCORD_TOKEN: { DISCORD_API_URL: undefined },
  CHATBOT_API_URL: { CHATBOT_API_KEY: later, CHATBOT_UUID: later },
  CHATBOT_API_KEY: { CHATBOT_API_URL: undefined, CHATBOT_UUID: later },
  CHATBOT_UUID: { CHATBOT_API_URL: undefined, CHATBOT_API_KEY: undefined },
};

/**
 * Checks the value of one variable, before those that are asked for after it are known. Undefined if
 * nothing can be said of it alone.
 */
export async function examineVariable(
  name: AskedVariable,
  env: Variables,
): Promise<Line | undefined> {
  const others = Object.entries(checkedWith[name]).map(([each, value]) => [
    each,
    value ?? env[each],
  ]);
  try {
    const config = readConfig({ ...Object.fromEntries(others), [name]: env[name] });
    return (await examineAlone(name, config)).at(-1);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(toLine).find(({ variable }) => variable === name);
  }
}

async function examineAlone(name: AskedVariable, config: Config): Promise<Line[]> {
  const { slack, discord } = config;
  if (slack) return examineSlack(slack, config, undefined, name);
  if (discord) return examineDiscord(discord, config, name);
  return examineChatbot(config, undefined, name);
}
