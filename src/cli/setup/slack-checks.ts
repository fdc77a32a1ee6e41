import { request } from 'undici';
import { createManifest } from '../../app/manifest.ts';
import { eventsPath, redirectPath } from '../../bridge/slack/manifest.ts';
import type { HistoryLimit } from '../../bridge/slack/history.ts';
import { lastSigned, type StoreReader } from '../../bridge/stores/open-store.ts';
import type { Config } from '../../config/config.ts';
import type { SlackConfig } from '../../config/platforms.ts';
import { type SlackManifest, type SlackQuestions, askSlack } from './ask-slack.ts';
import {
  type Check,
  type Finding,
  type Line,
  Trouble,
  fault,
  ok,
  runChecks,
  unchecked,
} from './check.ts';
import {
  type DeclaredManifest,
  type InstallationsAsked,
  installationCheck,
  judgeScopes,
  readAppId,
  scopesOf,
} from './installation-checks.ts';

/** What the checks of Slack ask. */
interface SlackAsked extends SlackQuestions, InstallationsAsked {
  declared: DeclaredManifest;
  /** When Slack last signed a request with the configured secret, in ms since the epoch. */
  lastSigned(): Promise<number | undefined>;
}

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

const apps = 'https://api.slack.com/apps';
const paste = `Paste the manifest (npm run -s manifest) under “App Manifest” of your app at ${apps}, then reinstall the app if Slack asks for it.`;
const pasteHttp = `Paste the manifest (npm run -s manifest -- https://your-host) under “App Manifest” of your app at ${apps}.`;
const pasteMany = `Paste the manifest (npm run -s manifest -- https://your-host --many) under “App Manifest” of your app at ${apps}.`;
const generate = `Generate a configuration token at the end of ${apps}, and run npm run doctor again with SLACK_CONFIG_TOKEN set to its access token (xoxe.xoxp-…), which is valid for 12 hours.`;
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
    fix: `Paste the manifest (npm run -s manifest) under “App Manifest” of your app at ${apps}, then reinstall the app under “Install App”.`,
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
      const noticed: number[] = [];
      const limits = store?.entries<HistoryLimit>('slack-history-limit');
      for await (const [, { noticedAt }] of limits ?? []) noticed.push(noticedAt);
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

/** How the app is configured at Slack. */
const manifestChecks: readonly Check<SlackAsked>[] = [
  {
    name: 'Slack manifest',
    needs: 'Slack bot token',
    async run({ slack: { configToken }, manifest }) {
      if (!configToken) {
        return unchecked('not checked: events, commands and the agent view.', generate);
      }
      try {
        if (await manifest()) return ok('Slack shows how the app is set up.');
        return unchecked('not checked: Slack does not say which app the token belongs to.');
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        // The token is needed only here, and expires.
        return unchecked(`not checked: SLACK_CONFIG_TOKEN: ${error.message}`, generate);
      }
    },
  },
  compare('Slack events', ({ declared, found, asked: { slack } }) => {
    const many = slack.install !== undefined;
    const history = readsHistory(found);
    // The address does not matter here.
    const origin = 'https://your-host';
    const wanted = declared({ agentView: hasAgentView(found), history, many, origin });
    const missing = eventsOf(wanted).filter((event) => !eventsOf(found).includes(event));
    return missing.length > 0
      ? fault(`the app is not subscribed to ${missing.join(', ')}.`)
      : ok('the app is subscribed to all that are needed.');
  }),
  compare('Slack installing', ({ found, asked: { slack } }) => {
    if (!slack.install) return [];
    const { redirect_urls: urls = [] } = found.oauth_config ?? {};
    if (!urls.some((url) => URL.parse(url)?.pathname === redirectPath)) {
      return fault(`the app has no redirect URL that ends in ${redirectPath}.`, pasteMany);
    }
    return ok(
      found.settings?.token_rotation_enabled
        ? 'the app has a redirect URL, and its tokens are renewed.'
        : 'the app has a redirect URL. Its tokens never expire.',
    );
  }),
  compare('Slack commands', ({ declared, found }) => {
    const needed = namesOf(declared());
    const missing = needed.filter((name) => !namesOf(found).includes(name));
    return missing.length > 0
      ? fault(`the app has no ${missing.join(', ')}.`)
      : ok(`the app has ${needed.join(', ')}.`);
  }),
  compare('Slack agent view', ({ found }) =>
    ok(
      hasAgentView(found)
        ? 'on: Slack shows its own Stop button on replies in direct messages.'
        : 'off: replies in direct messages are edited in place, as in channels.',
    ),
  ),
  compare('Slack direct messages', ({ found }) => {
    if (!readsHistory(found)) {
      return ok('closed, in an app without history scopes: people mention the bot in a channel.');
    }
    const home = found.features?.app_home;
    const isOpen = home?.messages_tab_enabled && !home.messages_tab_read_only_enabled;
    return isOpen ? ok('people can write to the bot.') : fault('people can’t write to the bot.');
  }),
  compare('Slack delivery', ({ declared, found, asked: { slack } }) =>
    slack.delivery.kind === 'socket' ? checkSocket(found) : checkAddresses(found, declared),
  ),
];

interface Compared {
  declared: DeclaredManifest;
  found: SlackManifest;
  asked: SlackAsked;
}

/** A check of the app's manifest at Slack. */
function compare(name: string, judge: (compared: Compared) => Finding | Finding[]) {
  return {
    name,
    needs: 'Slack manifest',
    fix: paste,
    run: async (asked: SlackAsked) =>
      judge({ asked, declared: asked.declared, found: (await asked.manifest()) ?? {} }),
  };
}

function readsHistory(manifest: SlackManifest): boolean {
  return scopesOf(manifest).some((scope) => scope.endsWith(':history'));
}

function eventsOf({ settings }: SlackManifest): string[] {
  return settings?.event_subscriptions?.bot_events ?? [];
}

function hasAgentView({ features }: SlackManifest): boolean {
  return features?.agent_view !== undefined;
}

/** The slash commands and shortcuts of an app. */
function namesOf({ features }: SlackManifest): string[] {
  const commands = features?.slash_commands?.map(({ command }) => command) ?? [];
  const shortcuts = features?.shortcuts?.map(({ name }) => `“${name}”`) ?? [];
  return [...commands, ...shortcuts];
}

function checkSocket({ settings }: SlackManifest) {
  return settings?.socket_mode_enabled
    ? ok('over Socket Mode.')
    : fault('Socket Mode is off, but SLACK_APP_TOKEN is set.');
}

function checkAddresses(found: SlackManifest, declared: DeclaredManifest) {
  if (found.settings?.socket_mode_enabled) {
    return fault('Socket Mode is on, but SLACK_APP_TOKEN is not set.', pasteHttp);
  }
  const addresses = addressesOf(found);
  const events = addresses['event subscriptions'];
  if (!events) return fault('Slack does not know where to send events.', pasteHttp);
  if (new URL(events).pathname !== eventsPath) {
    return fault(`Slack sends events to ${events}, not to ${eventsPath} there.`, pasteHttp);
  }
  const [other] = Object.entries(addresses).find(([, address]) => address !== events) ?? [];
  if (other) return fault(`Slack sends ${other} elsewhere than events.`, pasteHttp);
  const needed = Object.keys(addressesOf(declared({ origin: new URL(events).origin })));
  const missing = needed.filter((name) => !(name in addresses));
  if (missing.length > 0) {
    return fault(`Slack does not know where to send ${missing.join(', ')}.`, pasteHttp);
  }
  return ok(`over HTTP, to ${events}.`);
}

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

/** Every address in a manifest at which Slack calls the app. */
function addressesOf({ features, settings }: SlackManifest): Record<string, string> {
  const { event_subscriptions: events, interactivity } = settings ?? {};
  const commands = features?.slash_commands ?? [];
  const all = {
    'event subscriptions': events?.request_url,
    interactivity: interactivity?.request_url,
    'select menus': interactivity?.message_menu_options_url,
    ...Object.fromEntries(commands.map(({ command, url }) => [command, url])),
  };
  return Object.fromEntries(
    Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined),
  );
}
