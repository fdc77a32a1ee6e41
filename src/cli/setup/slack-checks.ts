import { request } from 'undici';
import { createManifest } from '../../app/manifest.ts';
import type { HistoryLimit } from '../../bridge/slack/history.ts';
import { lastSigned, type StoreReader } from '../../bridge/stores/open-store.ts';
import type { Config } from '../../config/config.ts';
import type { SlackConfig } from '../../config/platforms.ts';
import { type SlackManifest, askSlack } from './ask-slack.ts';
import { type Check, type Line, Trouble, fault, ok, runChecks, unchecked } from './check.ts';
import { installationCheck, judgeScopes, readAppId } from './installation-checks.ts';
import { type SlackAsked, apps, manifestChecks, pasteFix } from './manifest-checks.ts';

/**
 * Checks a Slack app: its tokens, how it receives events, its channels and its manifest.
 * @param store what the process stored, if anything
 * @param variable whose value alone is checked; everything by default
 */
export function examineSlack(
  slack: SlackConfig,
  { commandNames, slackApp }: Pick<Config, 'commandNames' | 'slackApp'>,
  store: StoreReader | undefined,
  variable?: string,
): Promise<Line[]> {
  const { delivery } = slack;
  const appId = slack.install && (() => readAppId(slack, store));
  const asked: SlackAsked = {
    ...askSlack(slack, appId),
    store,
    now: Date.now,
    declared: (options) =>
      JSON.parse(createManifest(commandNames, { ...slackApp, ...options })) as SlackManifest,
    lastSigned: async () =>
      store && delivery.kind === 'http' ? lastSigned(store, delivery.signingSecret) : undefined,
  };
  const deliveryChecks = delivery.kind === 'socket' ? socketChecks : httpChecks;
  const checks = slack.install
    ? [...clientChecks, ...deliveryChecks, installationCheck, ...historyChecks, ...manifestChecks]
    : [...tokenChecks, ...deliveryChecks, ...channelChecks, ...historyChecks, ...manifestChecks];
  return runChecks(checks, asked, variable);
}

const reachTimeoutMs = 5_000;

/** The bot token, and what it may do. */
const tokenChecks: readonly Check<SlackAsked>[] = [
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
    fix: pasteFix,
    async run({ bot, declared }) {
      const { scopes } = await bot();
      if (!scopes) return unchecked('not checked: Slack does not name them.');
      return judgeScopes(scopes, declared);
    },
  },
];

/** The credentials with which workspaces install the app. */
const clientChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack client',
    variable: 'SLACK_CLIENT_SECRET',
    fix: `Copy the Client ID and the Client Secret from “Basic Information” of your app at ${apps} to SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.`,
    async run({ client }) {
      await client();
      return ok('Slack accepts the client ID and the client secret.');
    },
  },
];

/** Events over Socket Mode. */
const socketChecks: readonly Check<SlackAsked>[] = [
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
      // Without its ticket, the address opens no connection that would receive events.
      host.search = '';
      const reached = await reaches(host);
      return reached
        ? ok('Slack’s socket can be reached. At most five processes can share this app.')
        : fault(`${host.host} can’t be reached.`);
    },
  },
];

/** Events over HTTP. */
const httpChecks: readonly Check<SlackAsked>[] = [
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

/** The channels that the bot is in. */
const channelChecks: readonly Check<SlackAsked>[] = [
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

/** What the running process noticed of Slack's limits. */
const historyChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack history',
    async run({ store }) {
      const limits = (await store?.entries<HistoryLimit>('slack-history-limit')) ?? [];
      const noticed = limits.map(([, { noticedAt }]) => noticedAt);
      if (noticed.length === 0) return [];
      const day = new Date(Math.max(...noticed)).toISOString().slice(0, 10);
      const where = noticed.length === 1 ? '' : ` in ${noticed.length} workspaces`;
      return unchecked(
        `Slack limits how the app reads threads${where} (noticed on ${day}): once a minute, and only the first 15 messages. Questions in between are answered without what was said before.`,
        'Slack does so with apps that are distributed outside its Marketplace. An app for your own workspace is not limited: create it there, and don’t activate its public distribution.',
      );
    },
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
