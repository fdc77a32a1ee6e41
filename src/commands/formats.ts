/** Numbers, sizes and times as a reader writes them. */
export interface Formats {
  number(value: number): string;
  /** Bytes, as `640 B`, `12 kB` or `3.4 MB`. */
  size(bytes: number): string;
  /** A moment, given in ISO 8601, with day, time and zone. What is no moment comes back as it is. */
  time(timestamp: string): string;
}

/** @param timeZone as `Europe/Berlin` */
export function createFormats(locale: string, timeZone: string): Formats {
  const numbers = new Intl.NumberFormat(locale);
  const megabytes = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const times = new Intl.DateTimeFormat(locale, {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });

  return {
    number: (value) => numbers.format(value),
    size(bytes) {
      if (bytes < 1000) return `${numbers.format(bytes)} B`;
      if (bytes < 999_500) return `${numbers.format(Math.round(bytes / 1000))} kB`;
      return `${megabytes.format(bytes / 1_000_000)} MB`;
    },
    time(timestamp) {
      const ms = Date.parse(timestamp);
      return Number.isNaN(ms) ? timestamp : times.format(ms);
    },
  };
}

/** The time zone, or UTC where it is none that this machine knows. */
export function toTimeZone(timeZone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone && timeZone
      ? timeZone
      : 'UTC';
  } catch {
    return 'UTC';
  }
}

/** The locale, or English where it is none. */
export function toLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
