/**
 * A day in UTC as people write it in a sentence, such as "3 March"; with its year, unless that is the
 * one of `nowMs`.
 */
export function formatDay(
  ms: number,
  { locale, nowMs }: { locale: string; nowMs?: number },
): string {
  const day = new Date(ms);
  const isThisYear =
    nowMs !== undefined && day.getUTCFullYear() === new Date(nowMs).getUTCFullYear();
  return day.toLocaleDateString(locale, {
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
    timeZone: 'UTC',
  });
}
