import { createChatbotClient } from './chatbot/chatbot-client.ts';
import { createCommandTable } from './commands/command-table.ts';
import type { CommandTools } from './commands/command-tools.ts';
import type { Log } from './conversation/ports.ts';
import { renderManifest } from './slack/manifest.ts';

/**
 * The Slack app manifest for this process's commands.
 *
 * @param origin where Slack reaches the process, for events over HTTP; without it Socket Mode
 */
export function createManifest(
  commandPrefix: string,
  origin: string | undefined,
  log: Log,
): string {
  const table = createCommandTable({
    prefix: commandPrefix,
    tools: createIdleTools(),
    managers: [],
    log,
  });
  return renderManifest(table, origin ? { mode: 'http', origin } : { mode: 'socket' });
}

/** The manifest tells the commands' names and options only, so none of them ever runs. */
function createIdleTools(): CommandTools {
  const idle = async () => undefined;
  return {
    client: createChatbotClient({ baseUrl: 'http://127.0.0.1', apiKey: 'unused' }),
    bindings: {
      fallback: '',
      chatbotFor: async () => '',
      bind: idle,
      release: async () => 0,
      countOf: async () => 0,
    },
    threads: {
      sessionIn: idle,
      threadsBySession: async () => new Map(),
      continueWith: idle,
      forget: idle,
      stop: () => undefined,
      retry: idle,
    },
    sleep: idle,
    now: Date.now,
  };
}
