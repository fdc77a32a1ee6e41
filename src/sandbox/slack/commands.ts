import type { BuiltInCommands } from './built-in-commands.ts';
import type { Delivered, Delivery } from './delivery.ts';
import type { Directory } from './directory.ts';
import type { Ephemerals } from './ephemerals.ts';
import type { InteractionPayloads } from './interaction-payloads.ts';
import type { AppManifest } from './manifest.ts';
import type { Replies, SayTo } from './replies.ts';
import type { ResponseUrls } from './response-urls.ts';
import { SlackError } from './slack-error.ts';
import type { Triggers } from './triggers.ts';
import { fromCommand } from './typed-text.ts';
import type { UserGroups } from './user-groups.ts';
import { slackbotId } from './workspace.ts';

/** A slash command as typed. */
interface Command {
  user: string;
  channel: string;
  /** Including the slash. */
  command: string;
  text?: string;
  /** The ts of the thread's first message, if it is typed in a thread. */
  thread?: string;
}

/** Slash commands, as people run them. */
export interface Commands {
  /**
   * Runs a slash command and shows what the app says in its acknowledgement. Resolves with whether
   * the app acknowledged in time, or Slack ran its own; when not, Slackbot tells the user why.
   * @throws {Error} when there is no such person or channel
   */
  command(command: Command): Promise<boolean>;
}

interface CommandsOptions {
  directory: Directory;
  groups: UserGroups;
  manifest: AppManifest;
  delivery: Delivery;
  ephemerals: Ephemerals;
  payloads: InteractionPayloads;
  replies: Replies;
  responseUrls: ResponseUrls;
  triggers: Triggers;
  builtIn: BuiltInCommands;
}

/** docs.slack.dev/interactivity/implementing-slash-commands. */
export function createCommands(options: CommandsOptions): Commands {
  const { directory, groups, manifest, delivery, ephemerals } = options;
  const { payloads, replies, responseUrls, triggers, builtIn } = options;
  const { app, team } = directory;

  function toPayload({ user, channel, command, text = '' }: Command): Record<string, string> {
    const { name } = payloads.channel(channel);
    return {
      token: app.verificationToken,
      api_app_id: app.id,
      team_id: team.id,
      team_domain: team.domain,
      channel_id: channel,
      channel_name: name,
      user_id: user,
      user_name: directory.user(user)?.name ?? '',
      command,
      text: fromCommand(text, directory, groups),
      is_enterprise_install: 'false',
      response_url: responseUrls.create({ user, channel }),
      trigger_id: triggers.create(user),
    };
  }

  function tell({ user, channel, thread }: SayTo & { thread?: string }, text: string): false {
    ephemerals.post({ to: user, channel, user: slackbotId, text, thread_ts: thread });
    return false;
  }

  function tellFailure(to: SayTo, command: string, error: string): false {
    return tell(to, `${command} failed with the error "${error}"`);
  }

  return {
    async command(command) {
      const { user, channel, command: name } = command;
      if (!directory.user(user)) throw new Error(`There is no user ${user}.`);
      if (!directory.channel(channel)) throw new Error(`There is no channel ${channel}.`);
      if (!/^\/\S+$/.test(name))
        throw new Error(`"${name}" is not a command: it must start with a slash.`);
      if (command.thread) return tell(command, `\`${name}\` is not supported in threads. Sorry!`);
      if (builtIn.has(name)) return builtIn.run(command);
      if (!manifest.hasCommand(name)) return tell(command, renderUnknown(name));
      const payload = toPayload(command);
      const delivered = await delivery.deliverOnce({ type: 'slash_commands', payload });
      if (!delivered.acknowledged) {
        return tellFailure(command, name, failure(delivered));
      }
      const answer = toAnswer(delivered.response);
      try {
        if (answer !== undefined) replies.say({ user, channel }, answer);
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        tellFailure(command, name, error.code);
      }
      return true;
    },
  };
}

/** Slack's own words. */
function renderUnknown(name: string): string {
  return `\`${name}\` is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.\n\nIf you are trying to send a message and not run a command, try preceding the "/" with an empty space.`;
}

function failure(delivered: Delivered): string {
  const late = !delivered.acknowledged && delivered.reason.endsWith('timeout');
  return late ? 'operation_timeout' : 'dispatch_failed';
}

/** An acknowledgement can carry a message. An empty or blank one shows nothing. */
function toAnswer(response: unknown): unknown {
  if (typeof response === 'string') return response.trim() ? { text: response } : undefined;
  const isFilled = typeof response === 'object' && response !== null;
  return isFilled && Object.keys(response).length > 0 ? response : undefined;
}
