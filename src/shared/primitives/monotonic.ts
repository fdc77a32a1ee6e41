/**
 * Milliseconds on a clock that can't be set, for waits, rate windows and everything else that measures
 * time. Times that are stored or shown use `Date.now`.
 */
export const monotonicMs = (): number => performance.now();
