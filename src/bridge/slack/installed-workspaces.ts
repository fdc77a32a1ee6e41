import { z } from 'zod';
import { createLru } from '../../shared/primitives/cache.ts';
import type { KeyedStore } from '../conversation/keyed-store.ts';
import { createSlackWorkspace } from './create-workspace.ts';
import { mentionedUsers } from './message-text.ts';
import { identityIn, type Installations, type KeptInstallation, nameOf } from './installations.ts';
import { readOrigin } from './payload.ts';
import { seesChannel } from './rooms.ts';
import type { AppTools, SlackWorkspace, Workspaces } from './workspace.ts';

/** Max workspaces kept in memory. The least recently used are read from Slack again when needed. */
const maxKept = 500;
/** How long a thread of a shared channel stays with the workspace whose bot spoke first in it. */
const sharedForMs = 30 * 24 * 60 * 60 * 1000;

/** An event about a message in a channel that several workspaces may share. */
const sharedMessage = z.object({
  is_ext_shared_channel: z.literal(true),
  event: z.object({
    channel: z.string(),
    ts: z.string().optional(),
    thread_ts: z.string().optional(),
    text: z.string().optional(),
    message: z.object({ ...written() }).optional(),
    previous_message: z.object({ ...written() }).optional(),
  }),
});

function written() {
  return {
    ts: z.string().optional(),
    thread_ts: z.string().optional(),
    text: z.string().optional(),
  };
}

/** The workspaces that have installed the app. */
export function createInstalledWorkspaces(options: {
  installations: Installations;
  tokenOf(key: string): Promise<string | undefined>;
  /** Which workspace's bot spoke first in a thread of a shared channel. */
  shared: KeyedStore<string>;
  app: AppTools;
}): Workspaces {
  const { installations, tokenOf, shared, app } = options;
  const { log } = app;
  const kept = createLru<SlackWorkspace>(maxKept);

  function at(team: string): SlackWorkspace {
    const known = kept.get(team);
    if (known) return known;
    const serving = () => installations.serving(team);
    const workspace = createSlackWorkspace(
      {
        teamId: team,
        identity() {
          const found = serving() ?? installations.last(team);
          return found && identityIn(team, found);
        },
        async token() {
          const found = serving();
          return found && tokenOf(found.key);
        },
        onAnswer(refusal) {
          const found = serving();
          // Without the key to its token, Slack has not been asked.
          if (!found || found.refused === 'secrets_key') return;
          if (found.refused !== refusal) void note(found, refusal);
        },
      },
      app,
    );
    kept.set(team, workspace);
    return workspace;
  }

  /** Slack refuses a token, or accepts it again. */
  async function note(found: KeptInstallation, refused: string | undefined): Promise<void> {
    const about = { installation: found.key, name: nameOf(found) };
    if (refused === undefined) log.info(about, 'Slack accepts the token of a workspace again');
    else log.error({ ...about, refused }, 'Slack refuses the token of a workspace');
    try {
      await installations.change(found.key, (record) => ({ ...record, refused }));
    } catch (error) {
      log.error({ err: error, ...about }, 'the refusal of a token by Slack could not be stored');
    }
  }

  function of(body: object): SlackWorkspace | undefined {
    const { team, enterprise, bot } = readOrigin(body);
    const found = team === undefined ? undefined : installations.serving(team, enterprise);
    // In a shared channel, people press buttons of another workspace's bot.
    const other = bot === undefined || bot === found?.bot.userId ? undefined : ofBot(bot);
    return other ?? (found && team !== undefined ? at(team) : undefined);
  }

  function ofBot(user: string): SlackWorkspace | undefined {
    const team = installations.ofBot(user)?.team?.id;
    return team === undefined ? undefined : at(team);
  }

  /**
   * The workspace whose bot a text mentions, if that bot is in the channel.
   * @throws {PlatformError} when Slack can't tell now: it delivers the event again
   */
  async function mentionedIn(text: string, channel: string, first: SlackWorkspace) {
    for (const user of mentionedUsers(text)) {
      const workspace = user === first.identity().userId ? first : ofBot(user);
      if (!workspace) continue;
      if (workspace === first) return workspace;
      // Anybody can write the id of a bot that is elsewhere.
      if (await seesChannel(workspace.clients.calls, channel)) return workspace;
    }
    return undefined;
  }

  async function answering(body: object): Promise<SlackWorkspace | undefined> {
    const first = of(body);
    const { data } = sharedMessage.safeParse(body);
    if (!first || !data) return first;
    const { channel, message, previous_message: previous, ...event } = data.event;
    const said = message ?? previous ?? event;
    const key = `${channel}:${said.thread_ts ?? said.ts ?? ''}`;
    // An edit belongs to whom the message itself did.
    const text = `${previous?.text ?? ''} ${said.text ?? ''}`;
    const mentioned = await mentionedIn(text, channel, first);
    if (mentioned) {
      const { teamId } = mentioned.identity();
      await shared.update(key, (known) => known ?? teamId, sharedForMs);
      return mentioned;
    }
    const owner = await shared.get(key);
    return owner !== undefined && installations.serving(owner) ? at(owner) : first;
  }

  return { of, at, answering };
}
