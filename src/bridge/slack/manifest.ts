import type { Command } from '../commands/command.ts';
import { listShortcuts, type CommandSet, type Shortcut } from '../commands/invocation.ts';
import { renderUsageHint } from '../commands/adapters/command-text.ts';
import { english } from '../texts/texts.ts';

/**
 * How events reach the app; with HTTP, `origin` is the app's public origin, such as
 * `https://example.com`.
 */
export type ManifestMode = ({ mode: 'socket' } | { mode: 'http'; origin: string }) &
  SlackAppKind & {
    /**
     * For an app that many workspaces install: its public origin, to which Slack sends people back.
     * Their tokens then expire, and are renewed.
     */
    installOrigin?: string;
  };

/** What an app is and asks for. */
export interface SlackAppKind {
  /** Whether the app is an agent, as by default. Not every workspace offers agents. */
  agentView?: boolean;
  /**
   * Whether the app reads direct messages, and what people write without mentioning it, as by
   * default. Slack’s Marketplace looks twice at apps that do.
   */
  history?: boolean;
}

/** Where Slack sends events, commands and modals. */
export const eventsPath = '/slack/events';

/** Where people begin to install the app. */
export const installPath = '/slack/install';

/** Where Slack sends people back who have installed the app, or have cancelled. */
export const redirectPath = '/slack/oauth_redirect';

/** The callback_id of a shortcut. */
export function shortcutId({ command, action }: Pick<Shortcut, 'command' | 'action'>): string {
  return ['causeway_shortcut', command, action].filter(Boolean).join('_');
}

/** Each is needed for one thing that the app does: docs.slack.dev/reference/scopes. */
const scopes = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'mpim:history',
  'usergroups:read',
  'users:read',
];

const events = [
  'agent_session_stopped',
  'app_mention',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
];

/**
 * They say that a workspace has removed the app, or that its organisation has taken it out of the
 * installation, or added it again: docs.slack.dev/authentication/installing-with-oauth.
 */
const removals = [
  'app_uninstalled',
  'team_access_granted',
  'team_access_revoked',
  'tokens_revoked',
];

/** Scopes and events that only agents have. */
const ofAgents = new Set(['agent_session_stopped', 'assistant:write']);

/** Scopes and events to read messages that don't mention the app. */
const ofHistory = /:history$|^message\./;

/** Which scopes and events an app has. People write to an agent directly, which needs the history. */
function wantedBy({ agentView = true, history = true }: SlackAppKind) {
  const isAgent = agentView && history;
  const isWanted = (name: string) =>
    (isAgent || !ofAgents.has(name)) && (history || !ofHistory.test(name));
  return { isAgent, history, isWanted };
}

/** The scopes that a workspace grants. */
export function scopesFor(kind: SlackAppKind): string[] {
  return scopes.filter(wantedBy(kind).isWanted);
}

const description = 'Answers from what you taught it, in threads';

/** Slack's own limits: docs.slack.dev/reference/app-manifest. */
const maxDescriptionLength = 2_000;
const maxHintLength = 1_000;

/**
 * The manifest from which to create or update the Slack app, as JSON: scopes, events and slash
 * commands. docs.slack.dev/reference/app-manifest.
 */
export function renderManifest({ commands, names }: CommandSet, options: ManifestMode): string {
  const { installOrigin } = options;
  const { isAgent, history, isWanted } = wantedBy(options);
  const url = options.mode === 'http' ? new URL(eventsPath, options.origin).href : undefined;
  const manifest = {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: 'Causeway',
      description,
    },
    features: {
      bot_user: { display_name: 'Causeway', always_online: true },
      app_home: {
        home_tab_enabled: false,
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: !history,
      },
      // Slack shows its stop button only on streaming messages of an agent.
      ...(isAgent && { agent_view: { agent_description: description } }),
      slash_commands: listSlashCommands({ commands, names }).map((command) => ({
        ...command,
        // Makes Slack send the ids of channels and people.
        should_escape: true,
        ...(url && { url }),
      })),
      shortcuts: listShortcuts(commands).map((shortcut) => ({
        type: 'message',
        name: english.descriptions[shortcut.name],
        callback_id: shortcutId(shortcut),
        description: english.descriptions[shortcut.description],
      })),
    },
    oauth_config: {
      ...(installOrigin && { redirect_urls: [new URL(redirectPath, installOrigin).href] }),
      scopes: { bot: scopesFor(options) },
    },
    settings: {
      event_subscriptions: {
        bot_events: [...events, ...(installOrigin ? removals : [])].filter(isWanted),
        ...(url && { request_url: url }),
      },
      interactivity: {
        is_enabled: true,
        // Slack requests the options of searchable menus only from this URL.
        ...(url && { request_url: url, message_menu_options_url: url }),
      },
      socket_mode_enabled: options.mode === 'socket',
      org_deploy_enabled: installOrigin !== undefined,
      token_rotation_enabled: installOrigin !== undefined,
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The command for everything, then the commands of their own, if there are any. */
function listSlashCommands({ commands, names }: CommandSet) {
  const { prefix, slack, slackShort } = names;
  const one = {
    command: `/${slack}`,
    description,
    usage_hint: commands.map(({ name }) => name).join(' | '),
  };
  return [one, ...(slackShort ? commands.map((command) => toShort(prefix, command)) : [])];
}

function toShort(prefix: string, command: Command) {
  const hint = renderUsageHint(command).slice(0, maxHintLength);
  return {
    command: `/${prefix}${command.name}`,
    description: english.descriptions[command.description].slice(0, maxDescriptionLength),
    ...(hint && { usage_hint: hint }),
  };
}
