import { z } from 'zod';
import type { Directory } from '../directory.ts';
import type { AppManifest } from '../manifest.ts';
import type { Messages } from '../messages.ts';
import type { Sessions } from '../sessions.ts';
import { SlackError } from '../slack-error.ts';
import { apiMethod, tiers, type ApiMethod } from './api-method.ts';
import { optional, required } from './arguments.ts';
import { reachOwnChannel, reachThread } from './reach.ts';

/** What these methods work on. */
export interface AgentsOptions {
  directory: Directory;
  messages: Messages;
  sessions: Sessions;
  manifest: Pick<AppManifest, 'isAgent'>;
}

const status = z.enum(['active', 'processing', 'suspended', 'closed']);

/** A session's status, where a method may set one. */
export const sessionStatus = status.optional();

/** docs.slack.dev/reference/methods/agents.sessions.setStatus. */
export function agentsMethods(options: AgentsOptions): Record<string, ApiMethod> {
  const { directory, messages, sessions, manifest } = options;
  return {
    'agents.sessions.setStatus': apiMethod({
      limit: tiers.three,
      arguments: {
        channel_id: required,
        thread_ts: required,
        status,
        title: z.string().max(200).optional(),
        initiator_user_id: optional,
      },
      run({ channel_id, thread_ts, status, title, initiator_user_id: initiator }) {
        if (!manifest.isAgent()) throw new SlackError('not_authorized');
        const channel = reachOwnChannel(directory, channel_id);
        const root = reachThread(messages, channel.id, thread_ts);
        if (initiator && !channel.members.includes(initiator)) {
          throw new SlackError('user_not_in_channel');
        }
        const { title: kept } = sessions.set(channel.id, root.ts, status, title);
        return { status, agent_status: status, title: kept };
      },
    }),
  };
}
