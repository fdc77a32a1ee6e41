import type { Directory } from './directory.ts';
import type { Files, SlackFile } from './files.ts';
import type { SlackChannel, SlackMessage, SlackUser } from './model.ts';

interface MessageOptions {
  /**
   * Without it, metadata has only its type: the app subscribes to none.
   * docs.slack.dev/messaging/message-metadata, slackapi/python-slack-sdk#1501
   */
  allMetadata?: boolean;
  /** The fields that Slack leaves out here. */
  without?: readonly string[];
}

/** Converts the sandbox's records to the objects that Slack sends. */
export interface Wire {
  message(message: SlackMessage, options?: MessageOptions): object;
  channel(channel: SlackChannel): object;
  /** A channel in the list of the bot's own channels. */
  ownChannel(channel: SlackChannel): object;
  user(user: SlackUser): object;
}

/** Slack's objects: docs.slack.dev/reference/objects. */
export function createWire(directory: Directory, files: Files): Wire {
  const { app, team } = directory;

  function profileOf(sent: Partial<SlackMessage>): object {
    const { bot_id: id = app.botId, bot_name: name = 'Causeway', user } = sent;
    const team_id = directory.user(user ?? '')?.team ?? team.id;
    const app_id = id === app.botId ? app.id : id.replace(/^B/, 'A');
    return { id, app_id, name, deleted: false, team_id };
  }

  function message(sent: SlackMessage, options: MessageOptions = {}): object {
    const { allMetadata = false, without = [] } = options;
    const { channel: _channel, edits: _edits, interrupted: _interrupted, ...named } = sent;
    const { bot_name: _name, ...rest } = named;
    const whole = {
      ...rest,
      team: directory.user(rest.user ?? '')?.team ?? team.id,
      ...(rest.metadata && !allMetadata && { metadata: { event_type: rest.metadata.event_type } }),
      files: rest.files?.map(toSharedFile),
      bot_profile: rest.bot_id && profileOf(sent),
      reply_users_count: rest.reply_users?.length,
    };
    return Object.fromEntries(Object.entries(whole).filter(([key]) => !without.includes(key)));
  }

  /** Only the methods of files tell where a file is shared. */
  function toSharedFile(file: SlackFile): object {
    const { channels: _channels, ...shared } = files.toWire(file);
    return shared;
  }

  function ownChannel({ id, name, kind, members, created, teams }: SlackChannel): object {
    const common = { id, created, is_archived: false, context_team_id: team.id };
    if (kind === 'im') {
      const user = members.find((member) => member !== app.botUser);
      return { ...common, is_im: true, is_channel: false, user };
    }
    return {
      ...common,
      name,
      name_normalized: name,
      is_channel: kind !== 'mpim',
      is_group: kind === 'mpim',
      is_im: false,
      is_mpim: kind === 'mpim',
      is_private: kind !== 'channel',
      is_general: name === 'general',
      topic: { value: '', creator: '', last_set: 0 },
      purpose: { value: '', creator: '', last_set: 0 },
      ...(teams && {
        is_shared: true,
        is_ext_shared: true,
        shared_team_ids: teams,
        conversation_host_id: teams[0],
      }),
    };
  }

  return {
    message,
    ownChannel,
    channel(channel) {
      const { kind, members } = channel;
      const counts = { is_member: members.includes(app.botUser), num_members: members.length };
      return { ...ownChannel(channel), ...(kind !== 'im' && counts) };
    },
    user({ id, name, realName, isBot, isAdmin, timezone, locale, ...rest }) {
      const home = rest.team ?? team.id;
      const [first_name = '', ...names] = realName.split(' ');
      return {
        id,
        team_id: home,
        name,
        deleted: false,
        real_name: realName,
        tz: timezone,
        tz_label: timezone,
        tz_offset: offsetOf(timezone),
        locale,
        is_admin: isAdmin,
        is_owner: isAdmin,
        is_bot: isBot,
        is_app_user: false,
        is_restricted: rest.isGuest === true,
        is_stranger: rest.isStranger,
        profile: {
          real_name: realName,
          display_name: realName,
          first_name,
          last_name: names.join(' '),
          team: home,
          ...(isBot && { api_app_id: app.id, bot_id: app.botId }),
        },
      };
    },
  };
}

/** The current offset of a time zone from UTC, in seconds. */
function offsetOf(timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = parts.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  if (!sign) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
}
