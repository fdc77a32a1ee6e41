import { complaints } from './complaints.ts';
import { manifestSchema } from './manifest-schema.ts';

/** An entry of a message's menu, which sends the message to the app. */
export interface MessageShortcut {
  name: string;
  callbackId: string;
}

/** A slash command, as people see it while they type. */
export interface ListedCommand {
  /** Including the slash. */
  command: string;
  description: string;
  usageHint?: string;
}

/** The app's configuration from its manifest. */
export interface AppManifest {
  /**
   * Takes a manifest in place of the one before, and installs the app again, which grants it the
   * manifest's scopes.
   * @throws {Error} when Slack would refuse it
   */
  install(manifest: unknown): void;
  /**
   * As `install`, but the app is not installed again: new scopes are not granted yet.
   * @throws {Error} when Slack would refuse it
   */
  update(manifest: unknown): void;
  shortcuts(): MessageShortcut[];
  commands(): ListedCommand[];
  /** Whether the app has a slash command; without a manifest, every command is taken for the app's. */
  hasCommand(name: string): boolean;
  /** Whether the app subscribes to an event; without a manifest, to every event. */
  hasEvent(name: string): boolean;
  /** Whether the app is an agent; without a manifest, it is. */
  isAgent(): boolean;
  /** Whether menus can ask the app for options over HTTP; Socket Mode needs no address. */
  hasOptionsUrl(): boolean;
  /** The manifest as Slack exports it. */
  manifest(): object;
  /** The scopes granted to the bot; undefined before the first manifest. */
  scopes(): readonly string[] | undefined;
}

/** What Slack exports for an app that was created without a manifest. */
const emptyManifest: object = { display_information: { name: 'Causeway' } };

/** The app starts with no manifest and no shortcuts. */
export function createAppManifest(): AppManifest {
  let shortcuts: MessageShortcut[] = [];
  let current = emptyManifest;
  let commands: ListedCommand[] | undefined;
  let events: Set<string> | undefined;
  let isAgent = true;
  let hasOptionsUrl = false;
  let granted: readonly string[] | undefined;

  function update(manifest: unknown) {
    const found = complaints(manifestSchema, manifest, '/manifest');
    if (found.length > 0) throw new Error(`The manifest is invalid: ${found.join('; ')}`);
    const parsed = manifestSchema.parse(manifest);
    shortcuts = (parsed.features?.shortcuts ?? [])
      .filter(({ type }) => type === 'message')
      .map(({ name, callback_id: callbackId }) => ({ name, callbackId }));
    commands = (parsed.features?.slash_commands ?? []).map(
      ({ command, description, usage_hint: usageHint }) => ({ command, description, usageHint }),
    );
    events = new Set(parsed.settings?.event_subscriptions?.bot_events);
    isAgent = parsed.features?.agent_view !== undefined;
    hasOptionsUrl = parsed.settings?.interactivity?.message_menu_options_url !== undefined;
    current = parsed;
    return parsed;
  }

  return {
    install(manifest) {
      granted = update(manifest).oauth_config?.scopes?.bot ?? [];
    },
    update: (manifest) => void update(manifest),
    shortcuts: () => shortcuts,
    commands: () => commands ?? [],
    hasCommand: (name) => commands?.some(({ command }) => command === name) ?? true,
    hasEvent: (name) => events?.has(name) ?? true,
    isAgent: () => isAgent,
    hasOptionsUrl: () => hasOptionsUrl,
    manifest: () => current,
    scopes: () => granted,
  };
}
