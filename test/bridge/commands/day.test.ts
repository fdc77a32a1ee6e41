import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseDay } from '../../../src/bridge/commands/day.ts';

const hourMs = 60 * 60 * 1000;
const isoDay = '2026-09-12';

/** The first and last moment of the day, as UTC. */
function utcOf(text: string, timeZone: string, now = '2026-11-22T12:00:00Z') {
  const day = parseDay(text, timeZone, Date.parse(now));
  return day && [day.startMs, day.endMs].map((ms) => new Date(ms).toISOString());
}

/** What clocks of the zone show at a moment, as `2026-09-12 00:00:00`. */
function clockIn(timeZone: string, ms: number): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  return new Intl.DateTimeFormat('sv-SE', options).format(ms);
}

describe('a day', () => {
  it.each(['2026-09-12', '2026-9-12', '12.09.2026', '12.9.2026', ' 2026-09-12 '])(
    'is written as %j',
    (text) => {
      expect(utcOf(text, 'UTC')).toEqual(['2026-09-12T00:00:00.000Z', '2026-09-12T23:59:59.999Z']);
    },
  );

  it.each([
    '',
    'tomorrow',
    '2026-02-29',
    '2026-13-01',
    '31.04.2026',
    '12/09/2026',
    '2026-09-12T10',
  ])('is not %j', (text) => {
    expect(utcOf(text, 'UTC')).toBeUndefined();
  });

  it('is the 29th of February in leap years', () => {
    expect(utcOf('29.02.2028', 'UTC')?.[0]).toBe('2028-02-29T00:00:00.000Z');
    expect(utcOf('yesterday', 'UTC', '2028-03-01T10:00:00Z')?.[0]).toBe('2028-02-29T00:00:00.000Z');
  });

  it('begins and ends in the time zone', () => {
    expect(utcOf(isoDay, 'Asia/Tokyo')).toEqual([
      '2026-09-11T15:00:00.000Z',
      '2026-09-12T14:59:59.999Z',
    ]);
    expect(utcOf(isoDay, 'America/Los_Angeles')).toEqual([
      '2026-09-12T07:00:00.000Z',
      '2026-09-13T06:59:59.999Z',
    ]);
  });

  it('lasts an hour less or more where the clock changes', () => {
    expect(utcOf('2027-03-28', 'Europe/Berlin')).toEqual([
      '2027-03-27T23:00:00.000Z',
      '2027-03-28T21:59:59.999Z',
    ]);
    expect(utcOf('2027-10-31', 'Europe/Berlin')).toEqual([
      '2027-10-30T22:00:00.000Z',
      '2027-10-31T22:59:59.999Z',
    ]);
  });

  it('begins an hour later where the clock skips midnight', () => {
    expect(utcOf('2026-09-05', 'America/Santiago')?.[1]).toBe('2026-09-06T03:59:59.999Z');
    expect(utcOf('2026-09-06', 'America/Santiago')?.[0]).toBe('2026-09-06T04:00:00.000Z');
  });
});

test('words that objects know are no days', () => {
  expect(parseDay('constructor', 'UTC', 0)).toBeUndefined();
  expect(parseDay('__proto__', 'UTC', 0)).toBeUndefined();
});

test.each([
  ['2026-11-22T00:30:00Z', 'America/New_York', '2026-11-21', '2026-11-20'],
  ['2026-11-22T00:30:00Z', 'UTC', '2026-11-22', '2026-11-21'],
  ['2026-11-22T11:30:00Z', 'Pacific/Auckland', '2026-11-23', '2026-11-22'],
  ['2027-03-28T22:30:00Z', 'Europe/Berlin', '2027-03-29', '2027-03-28'],
  ['2027-10-31T22:30:00Z', 'Europe/Berlin', '2027-10-31', '2027-10-30'],
])('at %s in %s it is %s, and yesterday was %s', (now, timeZone, today, yesterday) => {
  for (const word of ['today', 'heute', 'Today']) {
    expect(utcOf(word, timeZone, now)).toEqual(utcOf(today, timeZone));
  }
  for (const word of ['yesterday', 'gestern']) {
    expect(utcOf(word, timeZone, now)).toEqual(utcOf(yesterday, timeZone));
  }
});

test('a moment with its zone is that moment', () => {
  expect(utcOf('2026-09-12T10:30:00+02:00', 'Asia/Tokyo')).toEqual([
    '2026-09-12T08:30:00.000Z',
    '2026-09-12T08:30:00.000Z',
  ]);
  expect(utcOf('2026-02-31T10:30:99Z', 'UTC')).toBeUndefined();
  // No day of the next month.
  expect(utcOf('2026-02-30T10:30:00Z', 'UTC')).toBeUndefined();
});

test.each(['Europe/Berlin', 'America/Los_Angeles', 'Pacific/Auckland', 'Asia/Kathmandu'])(
  'in %s every moment is within what is called today, from midnight to midnight',
  (timeZone) => {
    const moments = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
    fc.assert(
      fc.property(moments, (nowMs) => {
        const { startMs, endMs } = parseDay('today', timeZone, nowMs) ?? { startMs: 0, endMs: 0 };
        expect(nowMs).toBeGreaterThanOrEqual(startMs);
        expect(nowMs).toBeLessThanOrEqual(endMs);
        expect(endMs + 1 - startMs).toBeLessThanOrEqual(25 * hourMs);
        expect(clockIn(timeZone, startMs)).toMatch(/ 00:00:00$/);
        expect(clockIn(timeZone, endMs)).toMatch(/ 23:59:59$/);
      }),
      { numRuns: 30 },
    );
  },
);
