/** What forms call options where that is not their name. */
export const labels: Record<string, string> = {
  'all-sources': 'All sources',
  'handover-message': 'When someone asks for a person',
  'handover-start': 'When a person takes over',
  'handover-end': 'When the person leaves',
  monitored: 'Messages that ask for a person',
};

/** What people read for values that are chosen, where that is not the value. */
export const choices: Record<string, string> = {};

/** The limits of values, behind a description. */
export const limits = {
  range: (min: number, max: number) => `${min} to ${max}`,
  files: (megabytes: number) => `up to ${megabytes} MB each`,
  characters: (most: number) => `up to ${most} characters`,
};
