/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type */
export const OptionType = {
  Subcommand: 1,
  SubcommandGroup: 2,
  String: 3,
  Integer: 4,
  Boolean: 5,
  User: 6,
  Channel: 7,
  Role: 8,
  Mentionable: 9,
  Number: 10,
  Attachment: 11,
} as const;

export interface Choice {
  name: string;
  value: string | number;
  name_localizations?: Record<string, string> | null;
}

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-structure */
export interface CommandOption {
  type: number;
  name: string;
  description: string;
  name_localizations?: Record<string, string> | null;
  description_localizations?: Record<string, string> | null;
  required?: boolean;
  choices?: Choice[] | null;
  options?: CommandOption[] | null;
  autocomplete?: boolean;
  channel_types?: number[] | null;
  min_value?: number | null;
  max_value?: number | null;
  min_length?: number | null;
  max_length?: number | null;
  file_types?: string[] | null;
}

/** Whether an option is a subcommand or a group, which has options rather than a value. */
export function isNested({ type }: CommandOption): boolean {
  return type === OptionType.Subcommand || type === OptionType.SubcommandGroup;
}
