import { z } from 'zod';
import { complaints } from './slack-error.ts';

const text = (max: number) => z.string().min(1).max(max);
const url = z
  .string()
  .max(3_500)
  .regex(/^https?:\/\//, 'must be an http or https address');
const flag = z.boolean().optional();

const unique = (max: number) =>
  z
    .array(z.string().max(50))
    .max(max)
    .refine((items) => new Set(items).size === items.length, 'must have no item twice');

/**
 * Slack's own commands, whose names no app can take: slack.com/help/articles/201259356. With one of
 * them Slack refuses the whole manifest (NousResearch/hermes-agent#18456, openclaw/openclaw#29032).
 */
export const reservedCommands = `
  active apps archive away call collapse dm dnd expand feed invite join kick leave me msg mute open pro
  remind remove rename search shortcuts shrug star status topic who
`
  .trim()
  .split(/\s+/)
  .map((name) => `/${name}`);

const slashCommand = z.strictObject({
  command: text(32)
    .regex(/^\/[^\s/]+$/, 'must begin with a slash and have no spaces')
    .refine((name) => !reservedCommands.includes(name), 'the slash command has an invalid name'),
  url: url.max(3_000).optional(),
  description: text(2_000),
  usage_hint: text(1_000).optional(),
  should_escape: flag,
});

const shortcut = z.strictObject({
  name: text(24),
  type: z.enum(['message', 'global']),
  callback_id: text(255),
  description: text(150),
});

const prompt = z.strictObject({ title: z.string(), message: z.string() });

const features = z.strictObject({
  app_home: z
    .strictObject({
      home_tab_enabled: flag,
      messages_tab_enabled: flag,
      messages_tab_read_only_enabled: flag,
    })
    .optional(),
  bot_user: z.strictObject({ display_name: text(80), always_online: flag }).optional(),
  agent_view: z
    .strictObject({
      agent_description: z.string().max(300).optional(),
      suggested_prompts: z.array(prompt).max(4).optional(),
    })
    .optional(),
  slash_commands: z.array(slashCommand).min(1).max(50).optional(),
  shortcuts: z.array(shortcut).min(1).max(10).optional(),
});

const scopes = z.array(z.string().max(50)).max(255).optional();

const settings = z.strictObject({
  event_subscriptions: z
    .strictObject({
      request_url: url.optional(),
      bot_events: unique(100).optional(),
      user_events: unique(100).optional(),
    })
    .optional(),
  interactivity: z
    .strictObject({
      is_enabled: z.boolean(),
      request_url: url.optional(),
      message_menu_options_url: url.optional(),
    })
    .optional(),
  socket_mode_enabled: flag,
  org_deploy_enabled: flag,
  token_rotation_enabled: flag,
});

/**
 * The part of a manifest that an app in the sandbox needs, with Slack's documented limits:
 * docs.slack.dev/reference/app-manifest.
 */
const manifestSchema = z
  .strictObject({
    _metadata: z
      .strictObject({ major_version: z.int().optional(), minor_version: z.int().optional() })
      .optional(),
    display_information: z.strictObject({
      name: text(35),
      description: text(140).optional(),
      long_description: z.string().min(175).max(4_000).optional(),
      background_color: z
        .string()
        .regex(/^#(?:[0-9a-f]{3}){1,2}$/i, 'must be a colour such as #1f2937')
        .optional(),
    }),
    features: features.optional(),
    oauth_config: z
      .strictObject({
        redirect_urls: z.array(z.string().max(2_500)).max(1_000).optional(),
        scopes: z
          .strictObject({ bot: scopes, user: scopes, bot_optional: scopes, user_optional: scopes })
          .optional(),
      })
      .optional(),
    settings: settings.optional(),
  })
  .superRefine(({ features = {}, settings = {} }, context) => {
    const commands = features.slash_commands ?? [];
    const names = commands.map(({ command }) => command);
    if (new Set(names).size < names.length) {
      context.addIssue({
        code: 'custom',
        path: ['features', 'slash_commands'],
        message: 'must have no command twice',
      });
    }
    if (settings.socket_mode_enabled) return;
    const { event_subscriptions: events, interactivity } = settings;
    const homeless = [
      ...(events && !events.request_url ? [['event_subscriptions']] : []),
      ...(interactivity?.is_enabled && !interactivity.request_url ? [['interactivity']] : []),
    ].map((path) => ['settings', ...path]);
    const silent = commands.flatMap(({ url }, index) =>
      url === undefined ? [['features', 'slash_commands', index]] : [],
    );
    for (const path of [...homeless, ...silent]) {
      const message = 'requires either a Request URL or Socket Mode enabled';
      context.addIssue({ code: 'custom', path, message });
    }
  });

/** An entry of a message's menu, which sends the message to the app. */
interface MessageShortcut {
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
   * Replaces the manifest and installs the app again, which grants the manifest's scopes.
   * @throws {Error} when Slack would refuse it
   */
  install(manifest: unknown): void;
  /**
   * Replaces the manifest without installing the app again: new scopes are not granted yet.
   * @throws {Error} when Slack would refuse it
   */
  update(manifest: unknown): void;
  shortcuts(): MessageShortcut[];
  commands(): ListedCommand[];
  /** Whether the app has a slash command; without a manifest, it has every command. */
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
  /** Where people may be sent back after OAuth. */
  redirectUrls(): readonly string[];
  /** Whether a whole organisation can install the app; without a manifest, it can. */
  isOrgReady(): boolean;
  /** Whether the bot's tokens expire; without a manifest, they don't. */
  rotatesTokens(): boolean;
}

/** What Slack exports for an app that was created without a manifest. */
const emptyManifest: object = { display_information: { name: 'Causeway' } };

/** The app starts with no manifest and no shortcuts. */
export function createAppManifest(): AppManifest {
  let current: z.output<typeof manifestSchema> | undefined;
  let granted: readonly string[] | undefined;

  function update(manifest: unknown): void {
    const found = complaints(manifestSchema, manifest, '/manifest');
    if (found.length > 0) throw new Error(`The manifest is invalid: ${found.join('; ')}`);
    current = manifestSchema.parse(manifest);
  }

  return {
    install(manifest) {
      update(manifest);
      granted = current?.oauth_config?.scopes?.bot ?? [];
    },
    update,
    shortcuts: () =>
      (current?.features?.shortcuts ?? [])
        .filter(({ type }) => type === 'message')
        .map(({ name, callback_id: callbackId }) => ({ name, callbackId })),
    commands: () =>
      (current?.features?.slash_commands ?? []).map(
        ({ command, description, usage_hint: usageHint }) => ({ command, description, usageHint }),
      ),
    hasCommand(name) {
      const commands = current?.features?.slash_commands ?? [];
      return !current || commands.some(({ command }) => command === name);
    },
    hasEvent(name) {
      const events = current?.settings?.event_subscriptions?.bot_events ?? [];
      return !current || events.includes(name);
    },
    isAgent: () => !current || current.features?.agent_view !== undefined,
    hasOptionsUrl: () => current?.settings?.interactivity?.message_menu_options_url !== undefined,
    manifest: () => current ?? emptyManifest,
    scopes: () => granted,
    redirectUrls: () => current?.oauth_config?.redirect_urls ?? [],
    isOrgReady: () => !current || current.settings?.org_deploy_enabled === true,
    rotatesTokens: () => current?.settings?.token_rotation_enabled === true,
  };
}
