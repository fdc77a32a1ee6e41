import type { RequestListener } from 'node:http';
import type { CommandTable } from './commands/invocation.ts';
import type { Config, DiscordConfig, SlackConfig } from './config.ts';
import type { Log, Platform } from './conversation/ports.ts';
import { createDiscordPlatform } from './discord/discord-platform.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { createSlackPlatform } from './slack/slack-platform.ts';

/** A platform that may want requests of its own: Slack delivers events over HTTP. */
export type BridgePlatform = Platform & { requestListener?: RequestListener };

/** The platforms that tokens are set for; with none, the sandbox's two. */
export function createPlatforms(
  config: Config,
  sandbox: Sandbox | undefined,
  commands: CommandTable,
  log: Log,
): BridgePlatform[] {
  const slack = sandbox ? sandboxSlack(sandbox) : config.slack;
  const discord: DiscordConfig | undefined = sandbox?.discord.credentials ?? config.discord;
  const platforms: BridgePlatform[] = [];
  if (slack) {
    const { botToken, apiUrl, nativeStreaming, delivery } = slack;
    const events =
      delivery.kind === 'socket'
        ? { appToken: delivery.appToken }
        : { signingSecret: delivery.signingSecret };
    platforms.push(
      createSlackPlatform({
        botToken,
        nativeStreaming,
        ...(apiUrl && { apiUrl }),
        ...events,
        commands,
        log,
      }),
    );
  }
  if (discord) platforms.push(createDiscordPlatform({ ...discord, commands, log }));
  return platforms;
}

function sandboxSlack({ slack }: Sandbox): SlackConfig {
  const { botToken, appToken, apiUrl } = slack.credentials;
  return { botToken, apiUrl, nativeStreaming: true, delivery: { kind: 'socket', appToken } };
}
