import { eventsPath } from '../../bridge/slack/manifest.ts';
import { type Check, fault, ok, Trouble, unchecked } from './check.ts';
import type { SlackAsked } from './slack-checks.ts';
import { addressesOf, type DeclaredManifest, type SlackManifest } from './slack-manifest.ts';

const apps = 'https://api.slack.com/apps';
const paste = `Paste the manifest (npm run -s manifest) under “App Manifest” of your app at ${apps}, then reinstall the app if Slack asks for it.`;
const pasteHttp = `Paste the manifest (npm run -s manifest -- https://your-host) under “App Manifest” of your app at ${apps}.`;
const generate = `Generate a configuration token at the end of ${apps}, and run npm run doctor again with SLACK_CONFIG_TOKEN set to its access token (xoxe.xoxp-…), which is valid for 12 hours.`;

/** How the app is set up at Slack. */
export const slackAppChecks: readonly Check<SlackAsked>[] = [
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
        // The token is only for this, and runs out.
        return unchecked(`not checked: SLACK_CONFIG_TOKEN: ${error.message}`, generate);
      }
    },
  },
  compare('Slack events', ({ declared, found }) => {
    const subscribed = found.settings?.event_subscriptions?.bot_events ?? [];
    const { settings } = declared({ agentView: hasAgentView(found) });
    const needed = settings?.event_subscriptions?.bot_events ?? [];
    const missing = needed.filter((event) => !subscribed.includes(event));
    return missing.length > 0
      ? fault(`the app is not subscribed to ${missing.join(', ')}.`)
      : ok('the app is subscribed to all that are needed.');
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
function compare(name: string, judge: (compared: Compared) => ReturnType<typeof ok>) {
  return {
    name,
    needs: 'Slack manifest',
    fix: paste,
    run: async (asked: SlackAsked) =>
      judge({ asked, declared: asked.declared, found: (await asked.manifest()) ?? {} }),
  };
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
