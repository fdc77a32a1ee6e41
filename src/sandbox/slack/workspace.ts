/** The workspace itself. */
export interface SlackTeam {
  id: string;
  name: string;
  domain: string;
}

/** A user of the workspace; the bot and Slackbot are users too. */
export interface SlackUser {
  id: string;
  name: string;
  realName: string;
  isBot: boolean;
  isAdmin: boolean;
  /** The id of another workspace that the person belongs to (Slack Connect). */
  team?: string;
  isGuest?: true;
  /** Whether they are of another workspace, and in no channel that the bot can see. */
  isStranger?: true;
  /** IANA name, such as `Europe/London`. */
  timezone: string;
  locale: string;
}

/**
 * A channel, a private one (`group`), a group message (`mpim`), or a direct message: the names that
 * `channel_type` has in events.
 */
export interface SlackChannel {
  id: string;
  /** Without the #; empty for a direct message. */
  name: string;
  kind: 'channel' | 'group' | 'mpim' | 'im';
  members: string[];
  /** Seconds since the epoch. */
  created: number;
}

/** People who can be mentioned together. */
export interface SlackUserGroup {
  id: string;
  /** The name to mention it by, without the @. */
  handle: string;
  /** The ids of its members. */
  users: string[];
}

/** The installed app: its bot user, and the secrets it shares with Slack. */
export interface SlackApp {
  id: string;
  botId: string;
  botUser: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  /** The token in every payload, which predates signatures. */
  verificationToken: string;
}

/** The user id of Slackbot. */
export const slackbotId = 'USLACKBOT';

/** The type of a channel where methods take types: docs.slack.dev/reference/methods/conversations.list. */
export function typeOf({ kind }: SlackChannel): string {
  const types = { channel: 'public_channel', group: 'private_channel', mpim: 'mpim', im: 'im' };
  return types[kind];
}
