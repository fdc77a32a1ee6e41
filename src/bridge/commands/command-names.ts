/** What people type to give a command. */
export interface CommandNames {
  /** Precedes each command's own name: `kb-` gives `/kb-ask`. */
  prefix: string;
  /** Slack's one command, which takes the others as words: `causeway` gives `/causeway ask`. */
  slack: string;
  /** Whether each command also has its own name on Slack, as on Discord; texts then use these. */
  slackShort: boolean;
}

/**
 * A command as people type it on a platform. For `source list`, that is `/causeway source list` on
 * Slack and `/source list` on Discord.
 */
export function typedCommand(
  { prefix, slack, slackShort }: CommandNames,
  platform: string,
  words: string,
): string {
  const lead = platform === 'slack' && !slackShort ? `${slack} ` : prefix;
  return `/${lead}${words}`;
}
