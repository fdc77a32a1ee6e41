import type { ThreadAddress } from '../conversation/address.ts';
import { createWorkingStatus } from './agent-status.ts';
import { createFeedbackStyles } from './buttons.ts';
import { createClients, type Identity } from './clients.ts';
import { createSlackFiles } from './files.ts';
import { createHistory } from './history.ts';
import { createMentionCommands } from './mention-commands.ts';
import { createNames, createPeople } from './people.ts';
import { createRooms } from './rooms.ts';
import { createStreams } from './streams.ts';
import { createThread } from './thread.ts';
import { createUserGroups } from './user-groups.ts';
import type { AppTools, Installed, SlackWorkspace } from './workspace.ts';

/** Prepares a workspace. Nothing is asked of Slack before it is needed. */
export function createSlackWorkspace(installed: Installed, app: AppTools): SlackWorkspace {
  const { apiUrl, logger, log, now, trustedOrigins, maxFileBytes } = app;
  const { nativeStreaming, historyLimits } = app;
  const { token, teamId, onAnswer } = installed;
  const identity = () => known(installed.identity());
  const clients = createClients({ token, apiUrl, logger, teamId, onAnswer });
  const { calls, writes } = clients;
  const groups = createUserGroups({ client: calls, log, now });
  const people = createPeople({
    client: calls,
    workspace: () => identity().teamId,
    groups,
    log,
    now,
  });
  const feedback = createFeedbackStyles(log);
  const streaming = () => nativeStreaming && installed.identity()?.isAgent !== false;
  const files = createSlackFiles({ client: calls, token, trustedOrigins, maxBytes: maxFileBytes });
  const threadTools = {
    files,
    clients,
    botId: () => identity().botId,
    log,
    history: createHistory({ clients, identity, people, historyLimits, log, now }),
    status: createWorkingStatus(writes, log),
    feedback,
    streams: createStreams({ client: writes, feedback, log, now, enabled: streaming }),
  };
  const thread = (address: ThreadAddress) => createThread(address, threadTools);
  const addressOf = (channel: string, root: string): ThreadAddress => ({
    platform: 'slack',
    workspace: identity().teamId,
    channel,
    thread: root,
  });
  const workspace = {
    ...app,
    identity,
    clients,
    people,
    names: createNames({ client: calls, people, groups, log, now }),
    rooms: createRooms({ client: calls, log }),
    files,
    addressOf,
    openThread: (channel: string, root: string) => thread(addressOf(channel, root)),
    thread,
  };
  return { ...workspace, readSaid: createMentionCommands(workspace) };
}

function known(identity: Identity | undefined): Identity {
  if (!identity) throw new Error('Slack was used before it was started.');
  return identity;
}
