/** A number with its noun, as `1 source` or `3 sources`. */
export const count = (number: number, one: string, many: string) =>
  `${number} ${number === 1 ? one : many}`;
