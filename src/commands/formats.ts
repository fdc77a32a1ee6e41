/** Numbers, sizes and times as a reader writes them. */
export interface Formats {
  number(value: number): string;
  /** Bytes, as `640 B`, `12 kB`, `3.4 MB` or `1.2 GB`. */
  size(bytes: number): string;
  /** A moment for Markdown, given in ISO 8601. What is no moment comes back as it is. */
  time(timestamp: string): string;
  /** As `time`, for files and labels: with day, time and zone. */
  plainTime(timestamp: string): string;
}

/** For a reader's language and time zone, and how their platform shows a moment. */
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
  const decimals = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const times = new Intl.DateTimeFormat(locale, {
    timeZone: toTimeZone(reader.timeZone),
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
      if (bytes < 999_950_000) return `${decimals.format(bytes / 1_000_000)} MB`;
      return `${decimals.format(bytes / 1_000_000_000)} GB`;
    },
    time(timestamp) {
      const ms = Date.parse(timestamp);
      if (!renderMoment || Number.isNaN(ms)) return plainTime(timestamp);
      return renderMoment(Math.floor(ms / 1000));
    },
    plainTime,
  };

  function plainTime(timestamp: string): string {
    const ms = Date.parse(timestamp);
    return Number.isNaN(ms) ? timestamp : times.format(ms);
  }
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
function toLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
