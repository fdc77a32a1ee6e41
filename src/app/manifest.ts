import { createChatbotClient } from '../chatbot/chatbot-client.ts';
import { createCommandTable } from '../commands/command-table.ts';
import type { CommandTools } from '../commands/command-tools.ts';
import type { CommandTable } from '../commands/invocation.ts';
import type { Log } from '../conversation/ports.ts';
import { renderManifest } from '../slack/manifest.ts';

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
  const table = readDeclaredCommands(commandPrefix, log);
  return renderManifest(table, origin ? { mode: 'http', origin } : { mode: 'socket' });
}

/** The table of commands for what it declares, names and options: none of them can be run. */
export function readDeclaredCommands(prefix: string, log: Log): CommandTable {
  return createCommandTable({ prefix, tools: createIdleTools(), log });
}

function createIdleTools(): CommandTools {
  const idle = async () => undefined;
  return {
    client: {
      ...createChatbotClient({ baseUrl: 'http://127.0.0.1', apiKey: 'unused' }),
      lists: () => true,
    },
    registry: {
      remember: idle,
      refresh: idle,
      remembered: async () => [],
      find: idle,
      removing: idle,
      lose: idle,
      compare: idle,
      takeGone: () => [],
    },
    files: { maxBytes: 0, problemWith: () => undefined, failed: () => undefined },
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
      handedOverBy: idle,
      resume: idle,
    },
    settings: {
      of: async () => ({ managers: { people: [], groups: [] }, contacts: { people: [] } }),
      change: async () => ({ managers: { people: [], groups: [] }, contacts: { people: [] } }),
      followingIn: async () => 'threads',
      follow: idle,
      contactsFor: async () => ({ people: [] }),
    },
    managers: { named: [], isManager: async () => false },
    notify: idle,
    sleep: idle,
    now: Date.now,
  };
}
