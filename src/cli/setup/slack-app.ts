import { randomBytes } from 'node:crypto';
import { createManifest } from '../../app/manifest.ts';
import { installPath } from '../../bridge/slack/manifest.ts';
import { ConfigError, readConfig } from '../../config/config.ts';
import type { Prompter } from './prompter.ts';
import { created, type WrittenVariable } from './variables.ts';

type Variables = Record<string, string | undefined>;

/** The Slack app to create. */
export interface SlackApp {
  /** Where Slack and people's browsers reach the process; empty for Socket Mode. */
  slackUrl?: string;
  /** Whether many workspaces install the app. */
  many?: boolean;
  /** Whether events come over Socket Mode although there is an address. */
  socket?: boolean;
}

const manyQuestion = `
A Slack app for one workspace needs only its tokens. An app that many workspaces install also needs an
address such as https://your-host, which leads from their browsers to this process.
`;

const eventsQuestion = `
Slack can send events in two ways. With Socket Mode, this process connects to Slack; it works behind a
firewall and needs no address, so choose it unless you know better. At most five processes can share an
app that way. Over HTTP, Slack connects to this process, at an address such as https://your-host that
leads here from the internet.
`;

const deliveryQuestion = `
Slack can send events to this address, over HTTP, as its Marketplace requires; or this process connects
to Slack, with Socket Mode, if Slack can't reach the address.
`;

/** Asks for what is not given. */
export async function chooseApp(
  env: Variables,
  given: SlackApp & { say(text: string): void },
  prompter: Prompter,
): Promise<SlackApp> {
  const { say } = given;

  /** Asks until the answer is one of these; Enter is the first one. */
  async function choose(question: string, choices: readonly string[]): Promise<string | undefined> {
    const [usual] = choices;
    for (;;) {
      const answer = await prompter.ask(`${question} (${choices.join(' or ')}; Enter: ${usual}):`);
      if (answer === '' || choices.includes(answer)) return answer || usual;
      say(`Type ${choices.join(' or ')}.`);
    }
  }

  async function askAddress(question: string, mayBeEmpty: boolean): Promise<string> {
    for (;;) {
      const answer = await prompter.ask(question);
      if ((mayBeEmpty && answer === '') || isReachable(answer)) return answer;
      say(notReachable(answer));
    }
  }

  async function askMany(): Promise<boolean> {
    say(manyQuestion);
    const choices = env['SLACK_CLIENT_ID'] ? ['many', 'one'] : ['one', 'many'];
    return (await choose('Workspaces', choices)) === 'many';
  }

  async function askUrl(many: boolean): Promise<string> {
    if (many) return askAddress('Address of this process, such as https://your-host:', false);
    say(eventsQuestion);
    return askAddress('Address for events over HTTP (Enter for Socket Mode):', true);
  }

  async function askSocket(): Promise<boolean> {
    say(deliveryQuestion);
    return (await choose('Events', ['http', 'socket'])) === 'socket';
  }

  const many = given.many ?? (given.slackUrl === undefined && (await askMany()));
  const slackUrl = given.slackUrl ?? (await askUrl(many));
  const socket = many ? (given.socket ?? (await askSocket())) : given.socket;
  return { many, slackUrl, socket };
}

/**
 * Says how to create the Slack app. Removes what belongs to another kind of app, and creates the secrets
 * that one for many workspaces needs.
 * @throws {ConfigError} when Slack can't reach the given address, or an address is missing
 */
export function prepareApp(
  env: Variables,
  app: SlackApp,
  { agentView, say }: { agentView?: boolean; say(text: string): void },
): void {
  const { slackUrl, many = false } = app;
  if (agentView === false) env['SLACK_AGENT_VIEW'] = 'off';
  const { commandNames, slackApp } = readConfig({
    SLACK_AGENT_VIEW: env['SLACK_AGENT_VIEW'],
    SLACK_HISTORY: env['SLACK_HISTORY'],
    SLACK_COMMAND: env['SLACK_COMMAND'],
    SLACK_SHORT_COMMANDS: env['SLACK_SHORT_COMMANDS'],
    COMMAND_PREFIX: env['COMMAND_PREFIX'],
  });
  if (slackUrl && !isReachable(slackUrl)) throw new ConfigError([notReachable(slackUrl)]);
  if (many && !slackUrl) {
    throw new ConfigError(['--many needs an address: add --slack-url=https://your-host.']);
  }
  for (const name of foreignTo(app)) if (env[name]) env[name] = '';
  if (many) for (const name of created) env[name] ||= randomBytes(32).toString('hex');
  const origin = slackUrl || undefined;
  const text = createManifest(commandNames, { ...app, ...slackApp, origin });
  const manifest = JSON.stringify(JSON.parse(text));
  const address = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}`;
  const first = many
    ? `The client ID and the client secret are under “Basic Information”. Once Causeway runs, each workspace installs the app at ${slackUrl}${installPath}; for other workspaces than yours, activate distribution under “Manage Distribution” first.`
    : 'Install it under “Install App”, where the bot token then is.';
  const second = usesSocket(app)
    ? 'Then generate a token with the scope connections:write under “Basic Information → App-Level Tokens”.'
    : 'The signing secret is under “Basic Information”.';
  say(`Create the Slack app, with its manifest filled in:\n${address}\n\n${first} ${second}\n`);
}

/** What belongs to another kind of app: with an app token, events would come over Socket Mode. */
export function foreignTo(app: SlackApp): WrittenVariable[] {
  const ofOther = app.many
    ? (['SLACK_BOT_TOKEN'] as const)
    : (['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const);
  return usesSocket(app) ? [...ofOther] : [...ofOther, 'SLACK_APP_TOKEN'];
}

/** Whether the process connects to Slack, not Slack to it. */
export function usesSocket({ slackUrl, socket = false }: SlackApp): boolean {
  return !slackUrl || socket;
}

function isReachable(address: string): boolean {
  return URL.parse(address)?.protocol === 'https:';
}

function notReachable(address: string): string {
  return `${address} is not an address that Slack can reach. Use one like https://your-host.`;
}
