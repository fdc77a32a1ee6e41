import { z } from 'zod';
import type { Directory } from '../directory.ts';
import type { Messages } from '../messages.ts';
import type { Statuses } from '../statuses.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { json, required } from './arguments.ts';
import { reachOwnChannel, reachThread } from './reach.ts';

/** What these methods work on. */
export interface AssistantOptions {
  directory: Directory;
  messages: Messages;
  statuses: Statuses;
}

const loadingMessages = json.pipe(z.array(z.string().max(50)).min(1).max(10).optional());

/** docs.slack.dev/reference/methods/assistant.threads.setStatus. */
export function assistantMethods(options: AssistantOptions): Record<string, ApiMethod> {
  const { directory, messages, statuses } = options;
  return {
    'assistant.threads.setStatus': apiMethod({
      limit: tiers.special,
      arguments: {
        channel_id: required,
        thread_ts: required,
        status: z.string(),
        loading_messages: loadingMessages,
      },
      run({ channel_id, thread_ts, status }) {
        const channel = reachOwnChannel(directory, channel_id);
        const root = reachThread(messages, channel.id, thread_ts);
        statuses.set(channel.id, root.ts, status);
        return {};
      },
    }),
  };
}
