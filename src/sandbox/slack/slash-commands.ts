import type { Delivered } from './delivery.ts';
import type { ListedCommand } from './manifest.ts';
import { slackbotId, type SlackChannel, type SlackUser } from './model.ts';
import { isOrganisation } from './installations.ts';
import type { Parts } from './parts.ts';
import { fromCommand } from './plain-text.ts';
import { SlackError } from './slack-error.ts';

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
export interface SlashCommands {
  /**
   * Runs a slash command and shows what the app says in its acknowledgement. Resolves with whether
   * the app acknowledged in time, or Slack ran its own; when not, Slackbot tells the user why.
   * @throws {Error} when there is no such person or channel
   */
  command(command: Command): Promise<boolean>;
}

/** The commands of Slack itself, as the client lists them. No app receives them. */
export const builtInCommands: readonly ListedCommand[] = [
  { command: '/invite', description: 'Add people or apps to this channel', usageHint: '@name' },
];

/** docs.slack.dev/interactivity/implementing-slash-commands. */
export function createSlashCommands(parts: Parts): SlashCommands {
  const { directory, installations, manifest, delivery, ephemerals, payloads } = parts;
  const { responseUrls, triggers } = parts;
  const { app, team } = directory;

  function toPayload({ user, channel, command, text = '' }: Command): Record<string, string> {
    const { name } = payloads.channel(channel);
    const { enterprise } = team;
    const installation = installations.serving(team.id);
    return {
      token: app.verificationToken,
      api_app_id: app.id,
      team_id: team.id,
      team_domain: team.domain,
      ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
      channel_id: channel,
      channel_name: name,
      user_id: user,
      user_name: directory.user(user)?.name ?? '',
      command,
      text: fromCommand(text, directory),
      is_enterprise_install: String(installation !== undefined && isOrganisation(installation)),
      response_url: responseUrls.create({ user, channel }),
      trigger_id: triggers.create(user),
    };
  }

  function tell({ user, channel, thread }: Command, text: string): false {
    ephemerals.post({ to: user, channel, user: slackbotId, text, thread_ts: thread });
    return false;
  }

  return {
    async command(command) {
      const { user, channel, command: name } = command;
      if (!directory.user(user)) throw new Error(`There is no user ${user}.`);
      if (!directory.channel(channel)) throw new Error(`There is no channel ${channel}.`);
      if (!/^\/\S+$/.test(name))
        throw new Error(`"${name}" is not a command: it must start with a slash.`);
      if (command.thread) return tell(command, `\`${name}\` is not supported in threads. Sorry!`);
      if (name === '/invite') return invite(parts, command);
      if (!manifest.hasCommand(name)) return tell(command, renderUnknown(name));
      const payload = toPayload(command);
      const delivered = await delivery.deliverOnce({ type: 'slash_commands', payload });
      const tellFailure = (error: string) =>
        tell(command, `${name} failed with the error "${error}"`);
      if (!delivered.acknowledged) return tellFailure(failure(delivered.reason));
      const answer = toAnswer(delivered.response);
      try {
        if (answer !== undefined) responseUrls.say({ user, channel }, answer);
      } catch (error) {
        if (!(error instanceof SlackError)) throw error;
        tellFailure(error.code);
      }
      return true;
    },
  };
}

/** Slack's own words. */
function renderUnknown(name: string): string {
  return `\`${name}\` is not a valid command. In Slack, all messages that start with the "/" character are interpreted as commands.\n\nIf you are trying to send a message and not run a command, try preceding the "/" with an empty space.`;
}

function failure(reason: (Delivered & { acknowledged: false })['reason']): string {
  return reason.endsWith('timeout') ? 'operation_timeout' : 'dispatch_failed';
}

/** An acknowledgement can carry a message. An empty or blank one shows nothing. */
function toAnswer(response: unknown): unknown {
  if (typeof response === 'string') return response.trim() ? { text: response } : undefined;
  const isFilled = typeof response === 'object' && response !== null;
  return isFilled && Object.keys(response).length > 0 ? response : undefined;
}

/**
 * Adds people to a channel; returns false if nothing changes, and Slackbot says why.
 * https://slack.com/help/articles/201259356-Slash-commands-in-Slack
 */
function invite(
  { directory, ephemerals, messages }: Parts,
  { user, channel: id, text = '' }: Command,
): boolean {
  const channel = directory.channel(id);
  const named = fromCommand(text, directory).matchAll(/<@(\w+)/g);
  const invited = [...named].flatMap(([, found = '']) => directory.user(found) ?? []);
  const refused = refusalOf(channel, invited);
  if (refused) ephemerals.post({ to: user, channel: id, user: slackbotId, text: refused });
  if (refused || !channel) return false;
  const members = [...channel.members, ...invited.map((person) => person.id)];
  directory.saveChannel({ ...channel, members });
  for (const person of invited) {
    const joined = `<@${person.id}> has joined the channel`;
    messages.post({ channel: id, user: person.id, text: joined, subtype: 'channel_join' });
  }
  return true;
}

function refusalOf(channel: SlackChannel | undefined, invited: SlackUser[]): string | undefined {
  if (channel?.kind !== 'channel' && channel?.kind !== 'group') {
    return '`/invite` works only in channels.';
  }
  if (invited.length === 0) return 'Who should join this channel? Type `/invite @name`.';
  const member = invited.find(({ id }) => channel.members.includes(id));
  return member && `${member.realName} is already in this channel.`;
}
