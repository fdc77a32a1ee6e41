import { maxFiles } from '../../../src/bridge/commands/files.ts';
import type { Option } from '../../../src/bridge/commands/option.ts';
import { literally, textFile } from './scenario.ts';
import type { GivenFile } from './seat.ts';

/** A value that an option does not take, and what the bot says of it. */
export interface WrongValue {
  value: string | readonly GivenFile[];
  says: RegExp;
}

const unknown = 'nobody knows this';

/** Values that an option does not take by its type; none where it takes whatever is given. */
export function wrongValues(option: Option): WrongValue[] {
  switch (option.type) {
    case 'text':
      return option.maxLength === undefined
        ? []
        : [{ value: 'x'.repeat(option.maxLength + 1), says: /\d+ characters; the limit is \d+/ }];
    case 'number': {
      const says = literally(`number from ${option.min} to ${option.max}`);
      const outside = [String(option.min - 1), String(option.max + 1), 'many'];
      const wrong = option.whole ? [...outside, String(option.min + 0.5)] : outside;
      return wrong.map((value) => ({ value, says }));
    }
    case 'boolean':
      return [{ value: 'perhaps', says: /Answer yes or no/ }];
    case 'choice':
      return [
        {
          value: unknown,
          says: literally(
            `Choose ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(option.choices)}.`,
          ),
        },
      ];
    case 'color':
      return [unknown, '#12', '#1234567'].map((value) => ({ value, says: /Enter a colour/ }));
    case 'date':
      return ['someday', '2026-02-30', '2026-13-01'].map((value) => ({
        value,
        says: /Enter a day/,
      }));
    case 'reference':
      return [
        {
          value: unknown,
          says:
            option.to === 'gap'
              ? /This question isn’t open/
              : new RegExp(`There is no ${option.to} called “${unknown}”`),
        },
      ];
    case 'channel':
      return [{ value: unknown, says: /channel/ }];
    case 'person':
      return [{ value: unknown, says: /person|someone/i }];
    case 'group':
      return [{ value: unknown, says: /group|role/ }];
    case 'file': {
      const several = Array.from({ length: maxFiles + 1 }, (_, index) =>
        textFile(`${index}.txt`, 'One of too many.'),
      );
      return [
        { value: [], says: /Choose a file/ },
        { value: several, says: /the limit is \d+/ },
      ];
    }
  }
}

/** A value that looks right for an option; a name stands for nothing that there is. */
export function plausibleValue(option: Option): string {
  switch (option.type) {
    case 'text':
      return option.holds ? 'https://example.com' : 'Some text';
    case 'number':
      return String(option.min);
    case 'boolean':
      return 'true';
    case 'choice':
      return option.choices[0] ?? '';
    case 'color':
      return 'red';
    case 'date':
      return 'today';
    case 'reference':
      return 'nothing of that name';
    case 'channel':
      return '#general';
    case 'person':
      return '@grace';
    case 'group':
      return 'nobody’s group';
    case 'file':
      return '';
  }
}
