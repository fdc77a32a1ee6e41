import { eventsPath, redirectPath } from '../../bridge/slack/manifest.ts';
import type { SlackManifest, SlackQuestions } from './ask-slack.ts';
import { type Check, type Finding, Trouble, fault, ok, unchecked } from './check.ts';
import { type DeclaredManifest, type InstallationsAsked, scopesOf } from './installation-checks.ts';

/** What the checks of Slack ask. */
export interface SlackAsked extends SlackQuestions, InstallationsAsked {
  /** When Slack last signed a request with the configured secret, in ms since the epoch. */
  lastSigned(): Promise<number | undefined>;
}

export const apps = 'https://api.slack.com/apps';

/** How to bring the app's manifest up to date, with the addresses that its delivery needs. */
export function pasteFix({ slack: { install, delivery } }: SlackAsked): string {
  const address = install || delivery.kind === 'http' ? ' -- https://your-host' : '';
  const command = `npm run -s manifest${address}${install ? ' --many' : ''}`;
  return `Paste the manifest (${command}) under “App Manifest” of your app at ${apps}, then reinstall the app if Slack asks for it.`;
}

const generate = `Generate a configuration token at the end of ${apps}, and run npm run doctor again with SLACK_CONFIG_TOKEN set to its access token (xoxe.xoxp-…), which is valid for 12 hours.`;

/** How the app is configured at Slack. */
export const manifestChecks: readonly Check<SlackAsked>[] = [
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
      : ok('the app is subscribed to all events that it needs.');
  }),
  compare('Slack installing', ({ found, asked: { slack } }) => {
    if (!slack.install) return [];
    const { redirect_urls: urls = [] } = found.oauth_config ?? {};
    if (!urls.some((url) => URL.parse(url)?.pathname === redirectPath)) {
      return fault(`the app has no redirect URL that ends in ${redirectPath}.`);
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
    fix: pasteFix,
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
    return fault('Socket Mode is on, but SLACK_APP_TOKEN is not set.');
  }
  const addresses = addressesOf(found);
  const events = addresses['event subscriptions'];
  if (!events) return fault('Slack does not know where to send events.');
  if (new URL(events).pathname !== eventsPath) {
    return fault(`Slack sends events to ${events}, not to ${eventsPath} there.`);
  }
  const [other] = Object.entries(addresses).find(([, address]) => address !== events) ?? [];
  if (other) return fault(`Slack sends ${other} elsewhere than events.`);
  const needed = Object.keys(addressesOf(declared({ origin: new URL(events).origin })));
  const missing = needed.filter((name) => !(name in addresses));
  if (missing.length > 0) {
    return fault(`Slack does not know where to send ${missing.join(', ')}.`);
  }
  return ok(`over HTTP, to ${events}.`);
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
