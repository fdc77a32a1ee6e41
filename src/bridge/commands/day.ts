/** A day in a time zone, or a moment. Milliseconds since the epoch, both ends inclusive. */
export interface Day {
  startMs: number;
  endMs: number;
}

const isoDay = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/;
const germanDay = /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/;

/**
 * Parses a day as people write it: `2026-09-12`, `12.09.2026`, `today`, `yesterday` (also in
 * German), or an ISO 8601 timestamp with its offset. Undefined for anything else.
 */
export function parseDay(text: string, timeZone: string, nowMs: number): Day | undefined {
  const typed = text.trim();
  const ms = readMoment(typed);
  if (ms !== undefined) return { startMs: ms, endMs: ms };
  const date = readDate(typed) ?? readWord(typed.toLowerCase(), timeZone, nowMs);
  if (!date) return undefined;
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds;
  return { startMs: startOf(date), endMs: startOf(date.add({ days: 1 })) - 1 };
}

function readMoment(typed: string): number | undefined {
  try {
    return Temporal.Instant.from(typed).epochMilliseconds;
  } catch {
    return undefined;
  }
}

function readDate(typed: string): Temporal.PlainDate | undefined {
  const { year, month, day } = (isoDay.exec(typed) ?? germanDay.exec(typed))?.groups ?? {};
  try {
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    return Temporal.PlainDate.from(date, { overflow: 'reject' });
  } catch {
    return undefined;
  }
}

const daysAgo = new Map([
  ['today', 0],
  ['heute', 0],
  ['yesterday', 1],
  ['gestern', 1],
]);

function readWord(word: string, timeZone: string, nowMs: number): Temporal.PlainDate | undefined {
  const days = daysAgo.get(word);
  if (days === undefined) return undefined;
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
  return now.toZonedDateTimeISO(timeZone).toPlainDate().subtract({ days });
}
