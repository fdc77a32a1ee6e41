export const forms = {
  send: 'Send',
  cancel: 'Cancel',
  outdated: 'This form is out of date. Please use the command again.',
  notOpened: (reason: string) => `The form did not open. Please use the command again. (${reason})`,
  more: 'More fields',
  noFiles: 'This message has no files.',
  tooManyFiles: (given: number, most: number) =>
    `This message has ${given} files; at most ${most} can be taken at once.`,
};
