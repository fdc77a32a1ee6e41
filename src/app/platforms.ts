import type { RequestListener } from 'node:http';
import type { CommandRunner } from '../bridge/commands/invocation.ts';
import type { Workspace } from '../bridge/conversation/address.ts';
import type { Conversation } from '../bridge/conversation/conversation.ts';
import { isRefusal, PlatformError } from '../bridge/conversation/errors.ts';
import type { Leases } from '../bridge/conversation/leases.ts';
import type { Notice, Platform, Receiver } from '../bridge/conversation/platform.ts';
import type { HistoryLimit } from '../bridge/slack/history.ts';
import type { InstallationRecord } from '../bridge/slack/installations.ts';
import { renderManifest, scopesFor } from '../bridge/slack/manifest.ts';
import { rememberSigned, type Store } from '../bridge/stores/open-store.ts';
import type { Config } from '../config/config.ts';
import type { DiscordConfig, SlackConfig } from '../config/platforms.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Log } from '../shared/primitives/log.ts';
import { RefusedError } from '../shared/primitives/refused-error.ts';
import { growingWaitMs, retry } from '../shared/primitives/retry.ts';
import { openSeal } from '../shared/primitives/seal.ts';
import { monotonicMs, sleep, type Sleep } from '../shared/primitives/time.ts';

/** A platform, and the request listener it needs if Slack delivers events over HTTP. */
export type BridgePlatform = Platform & {
  requestListener?: RequestListener;
  /** Pages for browsers, by path. */
  pages?: ReadonlyMap<string, RequestListener>;
  /** How many installations are in which state, if workspaces install the app. */
  countInstallations?(): Record<string, number>;
  /** What it does each minute. */
  keepUp?(signal: AbortSignal): Promise<void>;
};

/**
 * The platforms that have a token; without any token, the two of the sandbox. Loading a platform's
 * library takes a third of the start, so only the libraries in use are loaded.
 */
export async function createPlatforms(
  config: Config,
  tools: {
    sandbox: Sandbox | undefined;
    commands: CommandRunner;
    store: Store;
    /** When the data was restored from a backup, if it was. */
    restoredMs: number | undefined;
    leases: Leases;
    /** Deletes all that is kept of a workspace. */
    forget(workspace: Workspace): Promise<void>;
    log: Log;
  },
): Promise<BridgePlatform[]> {
  const { sandbox, commands, store, restoredMs, leases, forget, log } = tools;
  const slack = sandbox ? sandboxSlack(sandbox, commands) : config.slack;
  const discord: DiscordConfig | undefined = sandbox
    ? { ...sandbox.discord.credentials, leaveUnknownServers: false }
    : config.discord;
  const platforms: BridgePlatform[] = [];
  const remember = (secret: string) => () => {
    rememberSigned(store, secret).catch((error: unknown) =>
      log.warn(
        { err: error },
        'the time of a request that Slack signed could not be stored for npm run doctor',
      ),
    );
  };
  const maxFileBytes = config.chatbot.maxUploadBytes;
  if (slack) {
    const { createSlackPlatform } = await import('../bridge/slack/slack-platform.ts');
    const { botToken, install, apiUrl, nativeStreaming, delivery } = slack;
    const many = install && {
      ...install,
      scopes: scopesFor(config.slackApp),
      seal: openSeal(install),
      installations: store.keyv<InstallationRecord>('slack-installation'),
      shared: store.keyv<string>('shared-thread'),
      retentionMs: config.retentionMs,
      forget: (workspace: string) => forget({ platform: 'slack', workspace }),
    };
    const events =
      delivery.kind === 'socket'
        ? { appToken: delivery.appToken }
        : { signingSecret: delivery.signingSecret, onSigned: remember(delivery.signingSecret) };
    platforms.push(
      createSlackPlatform({
        botToken,
        install: many,
        nativeStreaming,
        apiUrl,
        ...events,
        maxFileBytes,
        historyLimits: store.keyv<HistoryLimit>('slack-history-limit'),
        commands,
        processes: () => leases.count,
        log,
      }),
    );
  }
  if (discord) {
    const { createDiscordPlatform } = await import('../bridge/discord/discord-platform.ts');
    const catchUp = {
      watermarks: store.keyv<string>('watermark'),
      directChannels: store.keyv<string>('direct-channel'),
      maxAgeMs: config.catchUpMs,
      restoredAt: restoredMs,
    };
    const locales = store.keyv<string>('discord-locale');
    const sessionTimes = store.isShared ? store.keyv<number>('discord-session-time') : undefined;
    const shared = { leases, sessionTimes, exclusively: store.exclusively };
    const parts = { maxFileBytes, commands, catchUp, locales, log };
    platforms.push(createDiscordPlatform({ ...discord, ...shared, ...parts }));
  }
  return platforms;
}

/** The sandbox's workspace, with the app installed from its manifest. */
function sandboxSlack({ slack }: Sandbox, commands: CommandRunner): SlackConfig {
  slack.install(JSON.parse(renderManifest(commands, { mode: 'socket' })));
  const { botToken, appToken, apiUrl } = slack.credentials;
  return { botToken, apiUrl, nativeStreaming: true, delivery: { kind: 'socket', appToken } };
}

/** Platforms that connect, each on its own. */
interface Connecting {
  /** Resolves once each platform has connected or failed to, for the first time. */
  firstTries: Promise<void>;
  /** Why a platform refuses the bot now, and what to do about it; undefined if it doesn't. */
  refusal(platform: string): string | undefined;
  /**
   * Resolves once every platform has refused the bot for ten minutes: nobody can reach it until
   * someone changes the configuration.
   */
  shutOut: Promise<RefusedError>;
}

/** A platform that refuses the bot, such as for a wrong token. */
interface Refusal {
  /** When it did so for the first time in a row, by `monotonicMs`. */
  since: number;
  message: string;
}

const maxWaitMs = 30_000;
/** A platform in trouble may refuse a valid token for a while. Later it is tried only this often. */
const lastingMs = 10 * 60_000;
/** Longer, because Discord resets the token of a bot that identifies itself 1000 times a day. */
const maxRefusedWaitMs = 2 * 60_000;

/**
 * Connects each platform, and again when it has lost its connection for good. None waits for another.
 * What fails is tried again with growing waits, and without a limit: an outage passes, and so may a
 * refusal.
 */
export function connectPlatforms(
  platforms: readonly Platform[],
  conversation: Receiver & Pick<Conversation, 'connected'>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Connecting {
  const refusals = new Map<string, Refusal>();
  const shutOut = Promise.withResolvers<RefusedError>();

  const isLasting = ({ name, isPartlyConnected }: Platform) =>
    !isPartlyConnected && monotonicMs() - (refusals.get(name)?.since ?? Infinity) >= lastingMs;

  /** Resolves once the signal has aborted. */
  async function keepConnected(platform: Platform, onTried: () => void): Promise<void> {
    const waitMs = (error: unknown, failures: number) => {
      if (signal.aborted) return undefined;
      if (platform.isPartlyConnected) conversation.connected(platform.name);
      onTried();
      return failed(platform, error, failures);
    };
    while (!signal.aborted) {
      await retry(() => platform.start(conversation), { waitMs, sleep, signal });
      refusals.delete(platform.name);
      conversation.connected(platform.name);
      onTried();
      const error = await platform.fatalError;
      if (!signal.aborted) await sleep(failed(platform, error, 1), signal);
    }
  }

  /** Milliseconds to wait after a failure, counted from 1. */
  function failed(platform: Platform, error: unknown, failures: number): number {
    if (isPermanent(error)) return refused(platform, error, failures);
    const { name, host } = platform;
    refusals.delete(name);
    const ownMs = growingWaitMs(failures, { maxMs: maxWaitMs });
    const askedMs = isRefusal(error, 'rate_limited') ? (error.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(ownMs, askedMs);
    log.warn({ platform: name, host, reason: causeOf(error), retryMs }, 'no connection yet');
    return retryMs;
  }

  function refused(platform: Platform, { message }: PlatformError, failures: number): number {
    const { name } = platform;
    const known = refusals.get(name);
    refusals.set(name, { since: known?.since ?? monotonicMs(), message });
    const growingMs = growingWaitMs(failures, { maxMs: maxRefusedWaitMs });
    const retryMs = isLasting(platform) ? lastingMs : growingMs;
    log[known?.message === message ? 'warn' : 'error']({ platform: name, retryMs }, message);
    if (platforms.every(isLasting)) {
      const messages = new Set([...refusals.values()].map((refusal) => refusal.message));
      shutOut.resolve(new RefusedError([...messages].join('\n')));
    }
    return retryMs;
  }

  async function connect(platform: Platform): Promise<void> {
    const tried = Promise.withResolvers<void>();
    // What is left is the reason of the signal.
    keepConnected(platform, tried.resolve).catch(tried.reject);
    return tried.promise;
  }

  const firstTries = Promise.all(platforms.map(connect)).then(() => undefined);
  return {
    firstTries,
    refusal: (platform) => refusals.get(platform)?.message,
    shutOut: shutOut.promise,
  };
}

/** The root cause of an error, such as `connect ECONNREFUSED 127.0.0.1:1`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? causeOf(error.cause) : error.message;
}

/** Whether every retry would fail until someone changes the configuration. */
function isPermanent(error: unknown): error is PlatformError {
  return (
    isRefusal(error, 'forbidden') ||
    (isRefusal(error, 'failed') && error.problem.code === 'discord_gateway_closed')
  );
}

/**
 * Posts a notice on a platform, outside any thread.
 * @throws {PlatformError}
 */
type Notify = (platform: string, notice: Notice, signal?: AbortSignal) => Promise<void>;

const tries = 4;
const retryMs = 1_000;
const timeoutMs = 60_000;

/**
 * Posts through the platforms that are connected at that time. After a rate limit, waits as long as the
 * platform says, up to three times and for a minute in all.
 */
export function createNotify(options: {
  platforms: readonly Pick<Platform, 'name' | 'notify'>[];
  sleep: Sleep;
}): Notify {
  const { platforms, sleep } = options;
  return async (name, notice, signal) => {
    const tell = platforms.find((platform) => platform.name === name)?.notify;
    if (!tell) {
      throw new PlatformError('failed', { code: 'platform_silent', params: { platform: name } });
    }
    let leftMs = timeoutMs;
    await retry(() => tell(notice, signal), {
      sleep,
      signal,
      waitMs(error, failures) {
        if (failures === tries || !isRefusal(error, 'rate_limited')) return undefined;
        const waitMs = error.retryAfterMs ?? retryMs;
        leftMs -= waitMs;
        return leftMs < 0 ? undefined : waitMs;
      },
    });
  };
}
