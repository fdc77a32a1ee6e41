import { createManifest } from '../../app/manifest.ts';
import type { CommandNames } from '../../bridge/commands/invocation.ts';

/** The part of an app's manifest that matters here: docs.slack.dev/reference/app-manifest. */
export interface SlackManifest {
  features?: {
    app_home?: { messages_tab_enabled?: boolean; messages_tab_read_only_enabled?: boolean };
    agent_view?: object;
    slash_commands?: { command: string; url?: string }[];
    shortcuts?: { name: string; callback_id: string }[];
  };
  oauth_config?: { scopes?: { bot?: string[] } };
  settings?: {
    event_subscriptions?: { bot_events?: string[]; request_url?: string };
    interactivity?: {
      is_enabled?: boolean;
      request_url?: string;
      message_menu_options_url?: string;
    };
    socket_mode_enabled?: boolean;
  };
}

/** The manifest that the app should have, with or without the agent view. */
export type DeclaredManifest = (options?: {
  origin?: string;
  agentView?: boolean;
}) => SlackManifest;

/** What this process would print. */
export function declaredManifest(names: CommandNames): DeclaredManifest {
  return (options) => JSON.parse(createManifest(names, options)) as SlackManifest;
}

export function scopesOf({ oauth_config: oauth }: SlackManifest): string[] {
  return oauth?.scopes?.bot ?? [];
}

/** Every address in a manifest at which Slack calls the app. */
export function addressesOf({ features, settings }: SlackManifest): Record<string, string> {
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
