import { request } from 'undici';
import type { SlackQuestions } from './ask-slack.ts';
import { type Check, fault, ok, Trouble, unchecked } from './check.ts';
import { type DeclaredManifest, scopesOf } from './slack-manifest.ts';

/** What the checks of Slack ask. */
export interface SlackAsked extends SlackQuestions {
  declared: DeclaredManifest;
  /** When Slack last signed a request with the configured secret, in ms since the epoch. */
  lastSigned(): Promise<number | undefined>;
}

const apps = 'https://api.slack.com/apps';
const reachTimeoutMs = 5_000;

/** The bot token, and what it may do. */
export const slackTokenChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack bot token',
    variable: 'SLACK_BOT_TOKEN',
    fix: `Copy the Bot User OAuth Token (xoxb-…) from “Install App” of your app at ${apps} to SLACK_BOT_TOKEN. It changes when the app is reinstalled.`,
    async run({ bot }) {
      const { user, team, botId } = await bot();
      if (!botId) throw new Trouble('refused', 'it is a person’s token, not a bot’s.');
      return ok(`accepted, as @${user} in ${team}.`);
    },
  },
  {
    name: 'Slack scopes',
    needs: 'Slack bot token',
    fix: `Paste the manifest (npm run -s manifest) under “App Manifest” of your app at ${apps}, then reinstall the app under “Install App”.`,
    async run({ bot, declared }) {
      const { scopes } = await bot();
      if (!scopes) return unchecked('not checked: Slack does not name them.');
      const lacks = (needed: string[]) => needed.filter((scope) => !scopes.includes(scope));
      const needed = scopesOf(declared());
      if (lacks(needed).length === 0) return ok(`all ${needed.length} are granted.`);
      const missing = lacks(scopesOf(declared({ agentView: false })));
      if (missing.length === 0) return ok('granted, for an app without the agent view.');
      return fault(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not granted.`);
    },
  },
];

/** Events over Socket Mode. */
export const slackSocketChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack app token',
    variable: 'SLACK_APP_TOKEN',
    fix: `Generate a token (xapp-…) with the scope connections:write under “Basic Information → App-Level Tokens” of your app at ${apps}, and set SLACK_APP_TOKEN to it.`,
    async run({ socket, appId, slack: { delivery } }) {
      await socket();
      const [, own] = /^xapp-\d+-(A[A-Z0-9]+)-/.exec(appTokenOf(delivery)) ?? [];
      const bots = await appId().catch(() => undefined);
      if (own && bots && own !== bots) {
        throw new Trouble('refused', `it belongs to another app (${own}) than the bot (${bots}).`);
      }
      return ok('accepted, with the scope connections:write.');
    },
  },
  {
    name: 'Slack socket',
    needs: 'Slack app token',
    fix: 'Let this machine, its firewall and its proxy connect to wss-primary.slack.com and wss-backup.slack.com on port 443.',
    async run({ socket }) {
      const host = new URL(await socket());
      host.protocol = host.protocol.replace('ws', 'http');
      // Without its ticket, the address opens no connection that would take events away.
      host.search = '';
      const reached = await reaches(host);
      return reached
        ? ok('Slack’s socket can be reached.')
        : fault(`${host.host} can’t be reached.`);
    },
  },
];

/** Events over HTTP. */
export const slackHttpChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack signing secret',
    async run({ lastSigned }) {
      const at = await lastSigned();
      if (at !== undefined) {
        return ok(`right: Slack signed a request with it on ${new Date(at).toISOString()}.`);
      }
      return unchecked(
        'not checked: no request signed with it has come yet. A wrong one shows in the log.',
        `Start Causeway, then verify the Request URL under “Event Subscriptions” of your app at ${apps}.`,
      );
    },
  },
];

/** Where the bot is. */
export const slackChannelChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack channels',
    needs: 'Slack bot token',
    async run({ channels, bot }) {
      const [found, { user }] = await Promise.all([channels(), bot()]);
      if (found.length === 0) {
        return fault('the bot is in no channel.', `Type /invite @${user} in a channel.`);
      }
      const names = found.slice(0, 5).map(({ name }) => `#${name}`);
      const more = found.length - names.length;
      return ok(`the bot is in ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`);
    },
    fix: `Reinstall the app under “Install App” at ${apps}.`,
  },
];

function appTokenOf(delivery: SlackAsked['slack']['delivery']): string {
  return delivery.kind === 'socket' ? delivery.appToken : '';
}

/** Whether anything answers HTTP at an address. */
async function reaches(address: URL): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(reachTimeoutMs);
    await (await request(address, { signal })).body.dump();
    return true;
  } catch {
    return false;
  }
}
