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
  if (!other.startsWith(toFamily(one)) || one === other) return false;
  if (!/^[a-z]{4}/u.test(one)) return false;
  const shorter = Math.min(one.length, other.length);
  let shared = minSharedLetters;
  while (shared < shorter && one[shared] === other[shared]) shared += 1;
  return shared >= Math.max(one.length, other.length) * sharedShare;
}
