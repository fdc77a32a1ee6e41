/**
 * What the bot can read where a command was used:
 * - `everything`: all messages
 * - `mentions`: messages that mention it; others arrive without text
 * - `uninvited`: nothing, because it is not a member of the channel
 * - `unseen`: nothing, because it may not view the channel
 * - `direct`: all messages, in a direct message with it
 */
export type ChannelAccess = 'everything' | 'mentions' | 'uninvited' | 'unseen' | 'direct';
