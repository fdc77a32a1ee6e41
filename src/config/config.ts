import { type BridgeConfig, readBridge } from './bridge.ts';
import { type ChatbotConfig, readChatbot, readModelServer } from './chatbot.ts';
import { type DiscordConfig, readDiscord, readSlack, type SlackConfig } from './platforms.ts';
import { createEnvironment } from './environment.ts';
import { type ProcessConfig, readProcess, readProxies } from './process.ts';
import type { ModelServer } from '../shared/primitives/model-server.ts';
import type { Proxies } from '../shared/primitives/proxies.ts';
import { findMisspelled, type Misspelled } from './variables.ts';

/** The validated configuration of the process. */
export interface Config extends ProcessConfig, BridgeConfig {
  chatbot: ChatbotConfig;
  /** Writes down what is said in voice notes. */
  transcription?: ModelServer;
  slack?: SlackConfig;
  discord?: DiscordConfig;
  proxies: Proxies;
  misspelled: readonly Misspelled[];
}

/** The environment is invalid. The message lists every error, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:
${faults.map((fault) => `- ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/**
 * Reads the environment. An empty variable counts as not set.
 * @param use what runs with it: the bridge, or the service alone
 * @throws {ConfigError} listing every invalid variable, what is wrong and how to fix it
 */
export function readConfig(
  env: Record<string, string | undefined>,
  use: 'bridge' | 'service' = 'bridge',
): Config {
  const environment = createEnvironment(env);
  const slack = readSlack(environment);
  const discord = readDiscord(environment);
  const transcription = readModelServer(environment, 'TRANSCRIPTION');
  const hasSandbox = use === 'bridge' && !slack && !discord;
  const config: Config = {
    ...readProcess(environment, hasSandbox),
    ...readBridge(environment),
    chatbot: readChatbot(environment),
    ...(transcription && { transcription }),
    proxies: readProxies(environment),
    misspelled: findMisspelled(env),
    ...(slack && { slack }),
    ...(discord && { discord }),
  };
  if (environment.faults.length > 0) throw new ConfigError(environment.faults);
  return config;
}
