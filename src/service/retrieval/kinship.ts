const minSharedLetters = 4;
const sharedShare = 0.75;

/** The letters that words of the same family have in common, at least. */
export function toFamily(stem: string): string {
  return stem.slice(0, minSharedLetters);
}

/**
 * Whether two stems probably belong to the same word family, because they start alike: "religion"
 * and "religiou(s)", "conquer" and "conquest", "norman" and "normandy".
 */
export function areKin(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let shared = 0;
  while (shared < shorter && one.charCodeAt(shared) === other.charCodeAt(shared)) shared += 1;
  const longer = Math.max(one.length, other.length);
  if (shared < minSharedLetters || shared < longer * sharedShare || shared === longer) return false;
  return /^[a-z]{4}/u.test(one);
}
