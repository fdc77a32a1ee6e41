import { type Environment, readList, readSwitch, readWhole } from './environment.ts';

/** How the bridge behaves on every platform. */
export interface BridgeConfig {
  commandNames: CommandNamesConfig;
  slackApp: SlackAppConfig;
  /** Ids of the Slack teams and Discord servers that own the first chatbot; if empty, the first ones it meets. */
  workspaces: readonly string[];
  /** Ids of people and groups who are managers in addition to the platform's admins. */
  managers: readonly string[];
  reply: ReplyConfig;
  /** Max questions asked at once. */
  maxTurns: number;
  /** Max age of messages sent while the bot was offline that it still reads; 0: none. */
  catchUpMs: number;
}

interface CommandNamesConfig {
  /** Precedes each command's own name: `kb-` gives `/kb-ask`. */
  prefix: string;
  /** Slack's one command, which takes the others as words: `causeway` gives `/causeway ask`. */
  slack: string;
  /** Whether each command also has its own name on Slack. */
  slackShort: boolean;
}

/** What the Slack app is and asks for. */
interface SlackAppConfig {
  /** Whether it is an agent, which not every workspace offers. */
  agentView: boolean;
  /** Whether it reads direct messages, and what people write without mentioning it. */
  history: boolean;
}

interface ReplyConfig {
  /**
   * Max characters shown of a reply; a longer one is cut and attached in full. Default: no limit.
   */
  maxCharacters?: number;
  /** A reply fails if its first text does not arrive within this time. */
  firstTextMs: number;
  /** A reply fails if nothing more arrives for this long, and so does any other call. */
  timeoutMs: number;
  /** A reply that takes longer is ended, with what has arrived. */
  maxMs: number;
}

/** Reads the settings that apply to every workspace. */
export function readBridge(environment: Environment): BridgeConfig {
  return {
    commandNames: readCommandNames(environment),
    slackApp: {
      agentView: readSwitch(environment, 'SLACK_AGENT_VIEW', 'on'),
      history: readSwitch(environment, 'SLACK_HISTORY', 'on'),
    },
    workspaces: readIds(environment, 'WORKSPACES', workspaceIds),
    managers: readIds(environment, 'MANAGERS', managerIds),
    reply: readReply(environment),
    maxTurns: readWhole(environment, 'TURNS_MAX', { min: 1, max: 10_000 }) ?? 200,
    catchUpMs: readCatchUp(environment),
  };
}

function readCommandNames(environment: Environment): CommandNamesConfig {
  const prefix = readCommandPrefix(environment);
  const slack = readSlackCommand(environment);
  const slackShort = readSwitch(environment, 'SLACK_SHORT_COMMANDS', 'off');
  if (slackShort && shortCommands.some((name) => prefix + name === slack)) {
    environment.fault(
      'SLACK_COMMAND',
      `is "${slack}", which SLACK_SHORT_COMMANDS=on makes a command too. Use another name, such as causeway.`,
    );
  }
  return { prefix, slack, slackShort };
}

/** The names of the commands themselves. */
export const shortCommands = [
  'agent',
  'ask',
  'chatbot',
  'gaps',
  'handover',
  'help',
  'session',
  'source',
  'tag',
];

function readSlackCommand(environment: Environment): string {
  const value = environment.read('SLACK_COMMAND') ?? 'causeway';
  if (!/^[a-z0-9_-]{1,31}$/.test(value)) {
    environment.fault(
      'SLACK_COMMAND',
      `is "${value}". Use at most 31 lower-case letters, digits, - and _, without the slash, such as causeway.`,
    );
  } else if (takenOnSlack.has(value)) {
    environment.fault(
      'SLACK_COMMAND',
      `is "${value}", which is a command of Slack’s own. Use another name, such as causeway.`,
    );
  }
  return value;
}

/** Slack's own commands: slack.com/help/articles/201259356. It refuses a manifest with one of them. */
const takenOnSlack = new Set(
  'active apps archive away call collapse dm dnd expand feed invite join kick leave me msg mute open pro remind remove rename search shortcuts shrug star status topic who'.split(
    ' ',
  ),
);

function readCommandPrefix(environment: Environment): string {
  const value = environment.read('COMMAND_PREFIX') ?? '';
  if (!/^[a-z0-9_-]{0,16}$/.test(value)) {
    environment.fault(
      'COMMAND_PREFIX',
      `is "${value}". Use at most 16 lower-case letters, digits, - and _, such as kb-.`,
    );
  }
  return value;
}

const workspaceIds = {
  pattern: /^(?:T[A-Z0-9]{2,}|\d{5,20})$/,
  problem:
    'which is not an id of a Slack team or Discord server. Use ids such as T012AB3CD in Slack, and 41771983423143937 in Discord, separated by commas.',
};
const managerIds = {
  pattern: /^(?:[UWS][A-Z0-9]{2,}|\d{5,20})$/,
  problem:
    'which is not an id of a person or group. Use ids of people and user groups in Slack, such as U012AB3CD and S012AB3CD, and of people and roles in Discord, such as 80351110224678912, separated by commas.',
};

function readIds(
  environment: Environment,
  name: 'WORKSPACES' | 'MANAGERS',
  { pattern, problem }: { pattern: RegExp; problem: string },
): string[] {
  const ids = readList(environment, name);
  const wrong = ids.find((id) => !pattern.test(id));
  if (wrong !== undefined) environment.fault(name, `contains "${wrong}", ${problem}`);
  return ids;
}

function readReply(environment: Environment): ReplyConfig {
  const maxCharacters = readWhole(environment, 'REPLY_MAX_CHARACTERS', {
    min: 1000,
    max: 1_000_000,
  });
  const timeoutSeconds =
    readWhole(environment, 'REPLY_TIMEOUT_SECONDS', { min: 1, max: 3600 }) ?? 60;
  // A model may have to be loaded first, so the first text may take longer, never shorter.
  const firstTextSeconds =
    readWhole(environment, 'REPLY_FIRST_TEXT_SECONDS', { min: 1, max: 7200 }) ?? 2 * timeoutSeconds;
  const maxMinutes = readWhole(environment, 'REPLY_MAX_MINUTES', { min: 1, max: 1440 }) ?? 15;
  return {
    firstTextMs: firstTextSeconds * 1000,
    timeoutMs: timeoutSeconds * 1000,
    maxMs: maxMinutes * 60_000,
    maxCharacters,
  };
}

function readCatchUp(environment: Environment): number {
  const hours = readWhole(environment, 'CATCH_UP_HOURS', { min: 0, max: 168 }) ?? 24;
  return hours * 60 * 60 * 1000;
}
