import { UrlSourceCreate } from '../../../shared/api/data-source.ts';
import { shorten } from '../../../shared/primitives/text.ts';
import { parseDay, type Day } from '../day.ts';
import type {
  FileOption,
  GroupOption,
  NumberOption,
  Option,
  ReferenceOption,
  TextOption,
} from '../option.ts';
import type { Texts } from '../../texts/texts.ts';

/** An option whose value can be parsed without the service or the platform. */
export type ScalarOption = Exclude<Option, FileOption | ReferenceOption | GroupOption>;

type Scalar = string | number | boolean | Day;

export type ParsedScalar = { value: Scalar } | { problem: string };

/** What parsing depends on, apart from the text. */
export interface Reading {
  texts: Texts;
  timeZone: string;
  nowMs: number;
}

const yes = new Set(['true', 'yes', 'y', 'on', '1', 'ja', 'an']);
const no = new Set(['false', 'no', 'n', 'off', '0', 'nein', 'aus']);

const colors: Record<string, string> = {
  black: '#000000',
  blue: '#2563eb',
  brown: '#92400e',
  gray: '#6b7280',
  green: '#16a34a',
  orange: '#ea580c',
  pink: '#db2777',
  purple: '#7c3aed',
  red: '#dc2626',
  teal: '#0d9488',
  white: '#ffffff',
  yellow: '#ca8a04',
};

/** Names of colours that are accepted, in addition to hex codes. */
export const colorNames = Object.keys(colors);

/** Parses an option's value, or says what is wrong with it and how to fix it. */
export function parseScalar(option: ScalarOption, text: string, reading: Reading): ParsedScalar {
  const { invalid } = reading.texts;
  switch (option.type) {
    case 'text': {
      const max = option.maxLength ?? Infinity;
      if (text.length > max) return { problem: invalid.tooLong(text.length, max) };
      if (!option.holds) return { value: text };
      const problem = problemWithUrls(option.holds, text, invalid);
      return problem === undefined ? { value: text.trim() } : { problem };
    }
    case 'number': {
      const { min, max, whole = false } = option;
      const value = parseNumber(option, text);
      return value === undefined ? { problem: invalid.noNumber(min, max, whole) } : { value };
    }
    case 'boolean': {
      const value = parseBoolean(text);
      return value === undefined ? { problem: invalid.noBoolean } : { value };
    }
    case 'choice': {
      const word = text.trim().toLowerCase();
      const value = option.choices.find((choice) => choice.toLowerCase() === word);
      return value === undefined ? { problem: invalid.noChoice(option.choices) } : { value };
    }
    case 'color': {
      const value = parseColor(text);
      return value === undefined ? { problem: invalid.noColor(colorNames) } : { value };
    }
    case 'date': {
      const value = parseDay(text, reading.timeZone, reading.nowMs);
      return value === undefined ? { problem: invalid.noDate } : { value };
    }
    case 'channel':
      return isPlatformId(text)
        ? { value: text }
        : { problem: invalid.noChannel(shorten(text, maxShownLength)) };
    case 'person':
      return isPlatformId(text) ? { value: text } : { problem: invalid.noPerson };
  }
}

/** More web addresses at once would be hard to follow. */
const maxUrls = 20;
/** The service's limit for each, in characters. */
const maxUrlLength = UrlSourceCreate.shape.url.maxLength ?? Infinity;
const maxShownLength = 100;

/** The web addresses in a text, each once. A comma can be part of one. */
export function splitUrls(text: string): string[] {
  return [...new Set(text.split(/\s+|,(?=[\s,]|https?:|$)/i).filter((each) => each !== ''))];
}

function problemWithUrls(
  holds: NonNullable<TextOption['holds']>,
  text: string,
  invalid: Texts['invalid'],
): string | undefined {
  const urls = holds === 'url' ? [text.trim()] : splitUrls(text);
  if (urls.length > maxUrls) return invalid.tooManyUrls(urls.length, maxUrls);
  const long = urls.find((url) => url.length > maxUrlLength);
  if (long) return invalid.tooLong(long.length, maxUrlLength);
  for (const text of urls) {
    const url = /\s/.test(text) ? null : URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) {
      return invalid.noUrl(shorten(text, maxShownLength));
    }
    if (url.username || url.password) return invalid.urlWithPassword;
  }
  return undefined;
}

/** Whether a text looks like an id: Slack's are capitals and digits, Discord's only digits. */
export function isPlatformId(text: string): boolean {
  return /^[A-Z0-9]{2,32}$/.test(text);
}

/** Parses a word for yes or no; undefined if it is neither. */
export function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (yes.has(word)) return true;
  return no.has(word) ? false : undefined;
}

/** A number with a separator between its thousands, as languages and this bot write it. */
const thousands = /^[1-9]\d{0,2}([.,'’ \u00A0\u202F])\d{3}(?:\1\d{3})*$/;

/**
 * Parses a number within the option's limits, with a point or comma as decimal separator, or, in a
 * whole number, between thousands; undefined otherwise.
 */
export function parseNumber({ min, max, whole }: NumberOption, text: string): number | undefined {
  const typed = text.trim();
  const isGrouped = whole === true && thousands.test(typed);
  const digits = isGrouped ? typed.replaceAll(/\D/g, '') : typed.replace(',', '.');
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(digits)) return undefined;
  const value = Number(digits);
  const fits = value >= min && value <= max && (!whole || Number.isInteger(value));
  return fits ? value : undefined;
}

function parseColor(text: string): string | undefined {
  const word = text.trim().toLowerCase();
  const named = Object.hasOwn(colors, word) ? colors[word] : undefined;
  if (named) return named;
  const [, digits] = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(word) ?? [];
  if (digits === undefined) return undefined;
  return `#${digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')}`;
}
