import type { RequestListener } from 'node:http';
import { listUsages } from '../bridge/commands/adapters/command-text.ts';
import type { CommandRunner } from '../bridge/commands/invocation.ts';
import type { Conversation } from '../bridge/conversation/conversation.ts';
import { isRefusal } from '../bridge/conversation/errors.ts';
import type { Log } from '../shared/primitives/log.ts';
import type { Platform, Receiver } from '../bridge/conversation/platform.ts';
import { renderManifest } from '../bridge/slack/manifest.ts';
import type { Store } from '../bridge/stores/open-store.ts';
import { rememberSigned } from '../bridge/stores/signed-requests.ts';
import { english } from '../bridge/texts/texts.ts';
import type { Config } from '../config/config.ts';
import type { DiscordConfig, SlackConfig } from '../config/platforms.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { growingWaitMs, retry } from '../shared/primitives/retry.ts';
import { sleep } from '../shared/primitives/time.ts';

/** A platform, and the request listener it needs if Slack delivers events over HTTP. */
export type BridgePlatform = Platform & { requestListener?: RequestListener };

/**
 * The platforms that have a token; without any token, the two of the sandbox. Loading a platform's
 * library takes a third of the start, so only the libraries in use are loaded.
 */
export async function createPlatforms(
  config: Config,
  tools: { sandbox: Sandbox | undefined; commands: CommandRunner; store: Store; log: Log },
): Promise<BridgePlatform[]> {
  const { sandbox, commands, store, log } = tools;
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
    const { botToken, apiUrl, nativeStreaming, delivery } = slack;
    const events =
      delivery.kind === 'socket'
        ? { appToken: delivery.appToken }
        : { signingSecret: delivery.signingSecret, onSigned: remember(delivery.signingSecret) };
    platforms.push(
      createSlackPlatform({
        botToken,
        nativeStreaming,
        apiUrl,
        ...events,
        maxFileBytes,
        commands,
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
    };
    platforms.push(createDiscordPlatform({ ...discord, maxFileBytes, commands, catchUp, log }));
  }
  return platforms;
}

/** The sandbox's workspace, with the app installed from its manifest. */
function sandboxSlack({ slack }: Sandbox, commands: CommandRunner): SlackConfig {
  slack.install(JSON.parse(renderManifest(commands, { mode: 'socket' })));
  slack.describeCommands(listUsages(commands, 'slack', english));
  const { botToken, appToken, apiUrl } = slack.credentials;
  return { botToken, apiUrl, nativeStreaming: true, delivery: { kind: 'socket', appToken } };
}

/** Platforms that connect, each on its own. */
interface Connecting {
  /**
   * Resolves once each platform has connected or failed to, for the first time.
   * @throws {unknown} the error of a platform that refuses the bridge permanently
   */
  firstTries: Promise<void>;
  /** Resolves with the error of a platform that refuses the bridge permanently. */
  refused: Promise<unknown>;
}

const maxWaitMs = 30_000;

/**
 * Connects each platform, and retries those that can't be reached, with growing waits. None waits for
 * another. A platform that refuses the bridge, such as for a wrong token, is not retried.
 */
export function connectPlatforms(
  platforms: readonly Platform[],
  conversation: Receiver & Pick<Conversation, 'connected'>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Connecting {
  const refused = Promise.withResolvers<unknown>();

  function connect(platform: Platform): Promise<void> {
    const tried = Promise.withResolvers<void>();
    const waitMs = (error: unknown, failures: number) => {
      if (signal.aborted || isPermanent(error)) return undefined;
      tried.resolve();
      const ownMs = growingWaitMs(failures, { maxMs: maxWaitMs });
      const askedMs = isRefusal(error, 'rate_limited') ? (error.retryAfterMs ?? 0) : 0;
      const retryMs = Math.max(ownMs, askedMs);
      const { name, host } = platform;
      log.warn({ platform: name, host, reason: causeOf(error), retryMs }, 'no connection yet');
      return retryMs;
    };
    const start = async () => {
      await platform.start(conversation);
      conversation.connected(platform.name);
    };
    retry(start, { waitMs, sleep, signal }).then(tried.resolve, (error: unknown) => {
      tried.reject(error);
      if (!signal.aborted) refused.resolve(error);
    });
    return tried.promise;
  }

  const firstTries = Promise.all(platforms.map(connect)).then(() => undefined);
  return { firstTries, refused: refused.promise };
}

/** The root cause of an error, such as `connect ECONNREFUSED 127.0.0.1:1`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? causeOf(error.cause) : error.message;
}

/** Whether every retry would fail until someone changes the configuration. */
function isPermanent(error: unknown): boolean {
  return (
    isRefusal(error, 'forbidden') ||
    (isRefusal(error, 'failed') && error.problem.code === 'discord_gateway_closed')
  );
}
