/** What stands around results and questions where they are shown. */
export const places = {
  asks: (name: string) => `${name} asks`,
  notThere: 'I can’t write in the channel where you used the command, so I answer you here.',
  filesSent: 'I’ve sent you the file in a direct message.',
  cut: '… the rest does not fit into one message.',
};
