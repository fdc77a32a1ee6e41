/** A day in a time zone, or a moment. Milliseconds since the epoch, both ends inclusive. */
export interface Day {
  startMs: number;
  endMs: number;
}

const isoDay = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const germanDay = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Parses a day as people write it: `2026-09-12`, `12.09.2026`, `today`, `yesterday` (also in
 * German), or an ISO 8601 timestamp with its offset. Undefined for anything else.
 */
export function parseDay(text: string, timeZone: string, nowMs: number): Day | undefined {
  const typed = text.trim();
  if (moment.test(typed)) {
    const ms = Date.parse(typed);
    return Number.isNaN(ms) ? undefined : { startMs: ms, endMs: ms };
  }
  const daysAgo = { today: 0, heute: 0, yesterday: 1, gestern: 1 }[typed.toLowerCase()];
  if (daysAgo !== undefined) {
    const { year, month, day } = wallClock(nowMs, timeZone);
    return dayOf(new Date(Date.UTC(year, month - 1, day - daysAgo)), timeZone);
  }
  const [, year, month, day] = isoDay.exec(typed) ?? [];
  if (year) return dayFrom(Number(year), Number(month), Number(day), timeZone);
  const [, germansDay, germansMonth, germansYear] = germanDay.exec(typed) ?? [];
  if (!germansYear) return undefined;
  return dayFrom(Number(germansYear), Number(germansMonth), Number(germansDay), timeZone);
}

function dayFrom(year: number, month: number, day: number, timeZone: string): Day | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? dayOf(date, timeZone) : undefined;
}

/** The day whose year, month and day in UTC are those of `date`. */
function dayOf(date: Date, timeZone: string): Day {
  const midnight = date.getTime();
  return {
    startMs: toInstant(midnight, timeZone),
    endMs: toInstant(midnight + dayMs, timeZone) - 1,
  };
}

/**
 * The first instant at which clocks in the zone show the time that UTC shows at `wallMs`. If they
 * skip it (in Chile, midnight once a year), the instant at which they jump forward.
 */
function toInstant(wallMs: number, timeZone: string): number {
  const before = wallMs - offsetAt(wallMs - dayMs, timeZone);
  const after = wallMs - offsetAt(wallMs + dayMs, timeZone);
  const isShownAt = (ms: number) => ms + offsetAt(ms, timeZone) === wallMs;
  return [before, after].find(isShownAt) ?? before;
}

function offsetAt(ms: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = wallClock(ms, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

type WallClock = Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;

function wallClock(ms: number, timeZone: string): WallClock {
  const clock: WallClock = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  for (const { type, value } of format.formatToParts(ms)) {
    if (type in clock) clock[type as keyof WallClock] = Number(value);
  }
  return clock;
}
