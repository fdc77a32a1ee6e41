/** Discord's epoch, the first second of 2015: https://docs.discord.com/developers/reference#snowflakes */
const discordEpoch = 1_420_070_400_000n;

/**
 * Ids in Discord's format: ms since its epoch above 22 bits. Each is greater than the previous one
 * and than `after`, even while the clock stands still.
 */
export function createSnowflakes(now: () => number, after = 0n): () => string {
  let last = after;
  return () => {
    const earliest = (BigInt(now()) - discordEpoch) << 22n;
    last = earliest > last ? earliest : last + 1n;
    return last.toString();
  };
}

/** When an id was created, in ms since the Unix epoch. */
export function toMilliseconds(snowflake: string): number {
  return Number((BigInt(snowflake) >> 22n) + discordEpoch);
}
