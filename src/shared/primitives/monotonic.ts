/**
 * Milliseconds on a clock that nobody can set, from some moment of this process on: for waits, rate
 * windows and everything else that counts time passing. What is stored or shown takes `Date.now`.
 */
export const monotonicMs = (): number => performance.now();
