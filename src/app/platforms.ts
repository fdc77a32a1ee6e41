import type { RequestListener } from 'node:http';
import { listUsages } from '../bridge/commands/adapters/command-usage.ts';
import type { CommandRunner } from '../bridge/commands/invocation.ts';
import type { Config } from '../config/config.ts';
import type { DiscordConfig } from '../config/discord.ts';
import type { SlackConfig } from '../config/slack.ts';
import type { Log, Platform } from '../bridge/conversation/ports.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { english } from '../bridge/texts/texts.ts';
import { renderManifest } from '../bridge/slack/manifest.ts';
import type { Store } from '../bridge/stores/open-store.ts';
import { rememberSigned } from '../bridge/stores/signed-requests.ts';

/** A platform, and the request listener it needs if Slack delivers events over HTTP. */
export type BridgePlatform = Platform & { requestListener?: RequestListener };

/**
 * The platforms that have a token; without any token, the sandbox's two. A platform's library takes
 * a third of the start, so only those that are used are loaded.
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
        'that Slack signs its requests could not be stored for npm run doctor',
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
