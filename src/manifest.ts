import { createChatbotClient } from './chatbot/chatbot-client.ts';
import { createCommandTable } from './commands/command-table.ts';
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
  // The manifest tells the commands' names and options only, so none of them ever runs.
  const client = createChatbotClient({ baseUrl: 'http://127.0.0.1', apiKey: 'unused' });
  const sources = { client, chatbotFor: async () => '', sleep: async () => {} };
  const table = createCommandTable({ prefix: commandPrefix, sources, log });
  return renderManifest(table, origin ? { mode: 'http', origin } : { mode: 'socket' });
}
