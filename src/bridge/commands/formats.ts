import { formatSize } from '../../shared/problems/formats.ts';

/** Formats sizes and times in a reader's language. */
export interface Formats {
  number(value: number): string;
  /** Formats bytes, as `formatSize` does. */
  size(bytes: number): string;
  /** Formats an ISO 8601 timestamp for Markdown. Returns any other text unchanged. */
  time(timestamp: string): string;
  /** Like `time`, but for files and labels: with day, time and zone. */
  plainTime(timestamp: string): string;
}

/**
 * Creates formats for a reader's language and time zone, and their platform's way of showing times.
 */
export function createFormats({
  renderMoment,
  ...reader
}: {
  locale: string;
  timeZone?: string;
  renderMoment?: (seconds: number) => string;
}): Formats {
  const locale = toLocale(reader.locale);
  const numbers = new Intl.NumberFormat(locale);
  let times: Intl.DateTimeFormat | undefined;

  return {
    number: (value) => numbers.format(value),
    size: (bytes) => formatSize(bytes, locale),
    time(timestamp) {
      const ms = Date.parse(timestamp);
      if (!renderMoment || Number.isNaN(ms)) return plainTime(timestamp);
      return renderMoment(Math.floor(ms / 1000));
    },
    plainTime,
  };

  function plainTime(timestamp: string): string {
    const ms = Date.parse(timestamp);
    if (Number.isNaN(ms)) return timestamp;
    times ??= createTimeFormat(locale, reader.timeZone);
    return times.format(ms);
  }
}

/** Takes a millisecond to create, and platforms mostly show times in a way of their own. */
function createTimeFormat(locale: string, timeZone?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    timeZone: toTimeZone(timeZone),
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
}

/** The time zone, or UTC if this machine does not know it. */
export function toTimeZone(timeZone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone && timeZone
      ? timeZone
      : 'UTC';
  } catch {
    return 'UTC';
  }
}

/** The locale, or English if it is invalid. */
function toLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
