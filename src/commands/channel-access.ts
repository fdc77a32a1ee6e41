/**
 * What the bot gets to hear where a command was used:
 * - `everything`: whatever people say
 * - `mentions`: what mentions it; all else comes without its words
 * - `uninvited`: nothing, since it is not a member of the channel
 * - `unseen`: nothing, since it may not look into the channel
 * - `direct`: a direct message with it, all of which it answers
 */
export type ChannelAccess = 'everything' | 'mentions' | 'uninvited' | 'unseen' | 'direct';
