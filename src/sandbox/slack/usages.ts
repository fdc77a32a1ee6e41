/**
 * One thing that people can type as a command. Slack knows only a command's name, description and
 * hint: this is for clients that complete more.
 */
export interface CommandUsage {
  /** With the slash and the words that say what to do: `/causeway source list`. */
  command: string;
  description: string;
  options: UsageOption[];
}

/** An option that can be typed, as `--name value`; without `--name` where it is required. */
export interface UsageOption {
  name: string;
  description: string;
  required: boolean;
  /** What its values are, where people choose from some. */
  takes?: 'channel' | 'person' | 'group' | readonly string[];
}

/** What can be typed in the app's commands, as far as the app has said so. */
export interface Usages {
  /** Puts a list in place of the one before. */
  describeCommands(list: readonly CommandUsage[]): void;
  usages(): readonly CommandUsage[];
}

export function createUsages(): Usages {
  let usages: readonly CommandUsage[] = [];
  return {
    describeCommands(list) {
      usages = list;
    },
    usages: () => usages,
  };
}
