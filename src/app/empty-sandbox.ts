import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import { noWorkspace, workspaceKey } from '../bridge/conversation/address.ts';
import type { Conversation } from '../bridge/conversation/conversation.ts';
import type { Store } from '../bridge/stores/open-store.ts';
import type { Config } from '../config/config.ts';
import type { Stored } from '../sandbox/control/inspector.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createOnceAtATime } from '../shared/primitives/cache.ts';
import type { Log } from '../shared/primitives/log.ts';

/** The namespaces of what the bridge knows of the sandbox's platforms, which stay. */
const ofPlatforms = ['home', 'watermark', 'direct-channel', 'discord-locale'];
/** Those of what it knows of a service whose data stays. */
const ofService = ['chatbot', 'registry', 'ownership', 'held-chatbots'];

/**
 * What the bridge and the built-in service have stored for a sandbox. Emptied, they are as on the first
 * start. What a hosted service has, or a chatbot that CHATBOT_UUID names, is not the sandbox's; and
 * nothing is if the store has been used with real workspaces.
 */
export function createStored(options: {
  sandbox: Pick<Sandbox, 'slack' | 'discord'>;
  config: Pick<Config, 'chatbot'>;
  store: Store;
  client: Pick<ChatbotClient, 'listChatbots' | 'deleteChatbot'>;
  conversation: Pick<Conversation, 'endAll'>;
  /** The chatbot that answers unless another is chosen: the one created after the emptying. */
  chatbot: { uuid: string };
  /** Creates the first chatbot, unless there is one. */
  createFirst(): Promise<string>;
  log: Log;
}): Stored {
  const { sandbox, config, store, client, conversation, chatbot, createFirst, log } = options;
  const isServiceKept = config.chatbot.kind === 'hosted' || config.chatbot.uuid !== undefined;
  const once = createOnceAtATime<void>();

  async function kept() {
    if (await isUsedElsewhere()) return 'all';
    return isServiceKept ? 'service' : undefined;
  }

  /** Whether workspaces other than the sandbox's have left something. */
  async function isUsedElsewhere(): Promise<boolean> {
    const { slack, discord } = sandbox;
    const teams = slack.workspaces().map(({ team }) => toKey('slack', team.id));
    // Also of servers that the bot has left.
    const servers = discord.channels().map(({ guild }) => toKey('discord', guild));
    const own = new Set([...teams, ...servers]);
    for await (const [platform, homes] of store.keyv<readonly string[]>('home').entries()) {
      if (!homes.every((home) => own.has(toKey(platform, home)))) return true;
    }
    for await (const [thread] of store.keyv('session').entries()) {
      if (!own.has(thread.split(':', 2).join(':'))) return true;
    }
    const installed = await Array.fromAsync(store.keyv('slack-installation').entries());
    return installed.length > 0;
  }

  /** Each step may be repeated, and a start after a crash creates the first chatbot if it is missing. */
  async function empty(): Promise<void> {
    if (await isUsedElsewhere()) return;
    await conversation.endAll();
    if (!isServiceKept) {
      for (const { uuid } of await client.listChatbots()) await client.deleteChatbot(uuid);
    }
    await store.clear(isServiceKept ? [...ofPlatforms, ...ofService] : ofPlatforms);
    chatbot.uuid = await createFirst();
  }

  return {
    kept,
    empty: () =>
      once('', () =>
        empty().catch((error: unknown) => {
          log.error({ err: error }, 'the sandbox could not be emptied');
          throw new Error('Not everything could be deleted. Press “Empty everything” again.');
        }),
      ),
  };
}

function toKey(platform: string, workspace = noWorkspace): string {
  return workspaceKey({ platform, workspace });
}
