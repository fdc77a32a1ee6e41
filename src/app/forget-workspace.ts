import type { ChatbotClient } from '../bridge/chatbot/chatbot-client.ts';
import { type Workspace, workspaceKey } from '../bridge/conversation/address.ts';
import { ChatbotError } from '../bridge/conversation/errors.ts';
import type { GapRecord } from '../bridge/conversation/gaps.ts';
import type { HandOverRecord } from '../bridge/conversation/hand-over/records.ts';
import type { Tenancy } from '../bridge/conversation/tenancy.ts';
import type { Store } from '../bridge/stores/open-store.ts';

/** The namespaces whose keys begin with the key of a workspace. */
const keyed = [
  'gap-in',
  'session',
  'talk',
  'binding',
  'workspace-settings',
  'channel-settings',
  'held-chatbots',
  'slack-history-limit',
];

/**
 * Deletes all that is kept of a workspace: its conversations, settings and the chatbots that are its
 * alone. May be repeated after a failure.
 * @throws {Error} when the store or the service fails
 */
export async function forgetWorkspace(
  workspace: Workspace,
  tools: { store: Store; client: ChatbotClient; tenancy: Tenancy },
): Promise<void> {
  const { store, client, tenancy } = tools;
  const own = workspaceKey(workspace);
  const isOwn = (key: string) => key === own || key.startsWith(`${own}:`);
  const isIn = (place: Workspace) => workspaceKey(place) === own;

  async function drop(
    namespace: string,
    isDropped: (key: string, value: never) => boolean,
  ): Promise<void> {
    const values = store.keyv<never>(namespace);
    const dropped: string[] = [];
    for await (const [key, value] of values.entries()) {
      if (isDropped(key, value)) dropped.push(key);
    }
    for (const key of dropped) await values.delete(key);
  }

  for (const chatbot of await tenancy.leave(workspace)) {
    await client.deleteChatbot(chatbot).catch((error: unknown) => {
      if (!(error instanceof ChatbotError && error.kind === 'not_found')) throw error;
    });
    await drop('registry', (key) => key.endsWith(`:${chatbot}`));
    await tenancy.forget(chatbot);
  }
  await store.inbox.deleteIn(workspace);
  await store.questions.deleteIn(workspace);
  await drop('gap', (_, { thread }: GapRecord) => isOwn(thread));
  await drop('former-session', (_, address: Workspace) => isIn(address));
  await drop('hand-over', (_, { address }: HandOverRecord) => isIn(address));
  await drop('said-in', (_, thread: string) => isOwn(thread));
  await drop('registry', (key) => key === `chatbot:${own}`);
  for (const namespace of keyed) await drop(namespace, isOwn);
}
