import { createManifest } from '../../app/manifest.ts';
import { inviteUrl } from '../../bridge/discord/permissions.ts';
import { ConfigError, readConfig } from '../../config/config.ts';
import { examine, isHealthy, renderReport } from './doctor.ts';
import { readVariables, writeVariables } from './env-file.ts';
import { greet, type HelloOptions } from './hello.ts';
import { InputEnded, type Prompter } from './prompter.ts';
import { asked, type AskedVariable, examineVariable } from './variables.ts';

type Variables = Record<string, string | undefined>;

/** What `npm run connect` is given. */
export interface ConnectOptions extends HelloOptions {
  /** The environment, with what options set in it. */
  env: Variables;
  /** The variables set by options, which are not asked for. */
  given?: readonly string[];
  /** The file to write. */
  path: string;
  /** Without one, nothing is asked, and the environment is used as it is. */
  prompter?: Prompter;
  /** Where Slack reaches the process, for events over HTTP. */
  slackUrl?: string;
  /** Whether the Slack app is an agent; it is by default. */
  agentView?: boolean;
}

/**
 * Connects the platforms and a chatbot service step by step: says where to create the apps, asks for
 * their tokens, checks each and writes it, then checks the whole installation, and posts a hello if
 * asked to. Where nothing is asked, nothing is written while a value is refused.
 * @returns whether everything works
 */
export async function connect(options: ConnectOptions): Promise<boolean> {
  const { path, say, prompter, agentView = true } = options;
  const env = { ...options.env };
  const before = readVariables(path);
  if (agentView) say(freePlan);
  try {
    if (prompter) await askAll(env, options, prompter);
    else prepareSlack(env, options);
    const lines = await examine(env);
    say(renderReport(lines));
    const refused = lines.find(({ state, variable }) => state === 'fault' && variable)?.variable;
    if (refused && !prompter) {
      say(`Nothing was written, because ${refused} is refused.`);
      return false;
    }
    if (!prompter) writeChanges(env, path, asked);
    say(describeChanges(path, before));
    const greeted = refused !== undefined || (await greet(readConfig(env), options));
    const healthy = isHealthy(lines) && greeted;
    say(healthy ? 'Run npm start.' : 'Fix what has a ✗, then run npm run doctor.');
    return healthy;
  } catch (error) {
    if (!(error instanceof InputEnded)) throw error;
    say(`\nStopped. ${describeChanges(path, before)} To go on, run npm run connect again.`);
    return false;
  }
}

const freePlan = `
Is your Slack workspace on the free plan, or are guests to ask questions there? Then use
npm run connect -- --no-agent-view instead: agents need a paid plan, and guests can’t use them.`;

const introduction = `
What you enter is checked at once and kept, so you can stop with Ctrl+C and go on later. Press Enter
to leave out what you don’t need.
`;

const eventsQuestion = `
Slack can send events in two ways. With Socket Mode, this process connects to Slack; it works behind a
firewall and needs no address, so choose it unless you know better. Over HTTP, Slack connects to this
process, at an address such as https://your-host that leads here from the internet.
`;

/** Asks for each variable, and writes it once it is accepted. */
async function askAll(env: Variables, options: ConnectOptions, prompter: Prompter): Promise<void> {
  const { say, given = [], path } = options;

  /** Resolves with whether the variable is set. */
  async function ask(name: AskedVariable, text: string): Promise<boolean> {
    const before = env[name];
    const isSecret = !name.endsWith('_URL') && !name.endsWith('_UUID');
    const enter = async (words: string) => {
      env[name] = (await prompter.ask(`${words}:`, { isSecret })) || before;
      return env[name] !== before;
    };
    const kept = before ? 'Enter keeps the one that is set' : 'Enter leaves it out';
    if (!given.includes(name)) await enter(`${text} (${kept})`);
    while (env[name]) {
      const line = await examineVariable(name, env);
      if (line) say(renderReport([line]).trimEnd());
      if (line?.state !== 'fault' || !line.variable) {
        writeChanges(env, path, [name]);
        break;
      }
      if (!(await enter(`${text}, again (${kept})`))) break;
    }
    return Boolean(env[name]);
  }

  say(introduction);
  const slackUrl = await askSlackUrl(options, prompter);
  prepareSlack(env, { ...options, slackUrl });
  if (await ask('SLACK_BOT_TOKEN', 'Bot User OAuth Token, xoxb-…')) {
    if (!slackUrl) await ask('SLACK_APP_TOKEN', 'App-Level Token, xapp-…');
    else if (await ask('SLACK_SIGNING_SECRET', 'Signing Secret')) {
      writeChanges(env, path, ['SLACK_APP_TOKEN']);
    }
  }
  say(discordSteps);
  if (await ask('DISCORD_TOKEN', 'Discord bot token')) {
    const [part = ''] = env['DISCORD_TOKEN']?.split('.') ?? [];
    const id = Buffer.from(part, 'base64').toString();
    // A refused token may contain anything.
    if (/^\d+$/.test(id)) say(`Add the bot to a server:\n${inviteUrl(id)}\n`);
  }
  if (await ask('CHATBOT_API_URL', 'Address of a hosted chatbot service, not the built-in one')) {
    await ask('CHATBOT_API_KEY', 'Its key');
    await ask('CHATBOT_UUID', 'The uuid of the chatbot that answers');
  }
}

/** Asks where Slack reaches this process until the answer can be such an address; empty for Socket Mode. */
async function askSlackUrl(options: ConnectOptions, prompter: Prompter): Promise<string> {
  const { say, slackUrl } = options;
  if (slackUrl !== undefined) return slackUrl;
  say(eventsQuestion);
  for (;;) {
    const answer = await prompter.ask('Address for events over HTTP (Enter for Socket Mode):');
    if (answer === '' || isReachable(answer)) return answer;
    say(notReachable(answer));
  }
}

function isReachable(address: string): boolean {
  return URL.parse(address)?.protocol === 'https:';
}

function notReachable(address: string): string {
  return `${address} is not an address that Slack can reach. Use one like https://your-host.`;
}

/**
 * Says how to create the Slack app. For events over HTTP, removes the app token, with which they would
 * come over Socket Mode.
 * @throws {ConfigError} when Slack can't reach the given address
 */
function prepareSlack(env: Variables, { slackUrl, agentView, say }: ConnectOptions): void {
  const { commandNames } = readConfig({
    SLACK_COMMAND: env['SLACK_COMMAND'],
    SLACK_SHORT_COMMANDS: env['SLACK_SHORT_COMMANDS'],
    COMMAND_PREFIX: env['COMMAND_PREFIX'],
  });
  if (slackUrl && !isReachable(slackUrl)) throw new ConfigError([notReachable(slackUrl)]);
  if (slackUrl && env['SLACK_APP_TOKEN']) env['SLACK_APP_TOKEN'] = '';
  const text = createManifest(commandNames, { origin: slackUrl || undefined, agentView });
  const manifest = JSON.stringify(JSON.parse(text));
  const address = `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}`;
  const second = slackUrl
    ? 'The signing secret is under “Basic Information”.'
    : 'Then generate a token with the scope connections:write under “Basic Information → App-Level Tokens”.';
  say(`Create the Slack app, with its manifest filled in:\n${address}\n
Install it under “Install App”, where the bot token then is. ${second}\n`);
}

const discordSteps = `
Create an application at https://discord.com/developers/applications. Under “Bot”, switch on
“Message Content Intent”, then reset and copy the token.
`;

/** Writes those of the variables whose values differ from the file's. */
function writeChanges(env: Variables, path: string, names: readonly AskedVariable[]): void {
  const known = readVariables(path);
  const changed = names.filter((name) => (env[name] ?? '') !== (known[name] ?? ''));
  if (changed.length === 0) return;
  writeVariables(path, Object.fromEntries(changed.map((name) => [name, env[name] ?? ''])));
}

/** @param before the file's variables before anything was written */
function describeChanges(path: string, before: Variables): string {
  const after = readVariables(path);
  const names = asked.filter((name) => after[name] !== before[name]);
  return names.length > 0
    ? `Wrote ${names.join(', ')} to ${path}, which only this user can read.`
    : `There is nothing new to write to ${path}.`;
}
