import { describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/report/window.ts';
import { resolveWindow } from '../../src/report/window-flags.ts';
import { refusalOf } from './refusal.ts';

/** Wednesday 2026-11-18, 15:20:37 in Paris; the 46th ISO week's next, the 47th. */
const now = Date.parse('2026-11-18T14:20:37Z') / 1_000;

function read(text: string, zone = 'Europe/Paris', at = now): string {
  const { since, until } = resolveWindow({ period: text, zone, nowMs: at * 1_000 });
  return `${formatInstant(since, zone)} .. ${formatInstant(until, zone)}`;
}

/** The first and last day of a period of whole days; their times are checked here. */
function days(text: string, at = now): string {
  const match = /^(\S+)T00:00:00\S+ \.\. (\S+)T23:59:59\S+$/.exec(read(text, 'Europe/Paris', at));
  if (!match) throw new Error(`${text} is not whole days: ${read(text, 'Europe/Paris', at)}`);
  return `${match[1]} .. ${match[2]}`;
}

test.each([
  ['today', '2026-11-18 .. 2026-11-18'],
  ['yesterday', '2026-11-17 .. 2026-11-17'],
  ['last-1d', '2026-11-17 .. 2026-11-17'],
  ['last-7d', '2026-11-11 .. 2026-11-17'],
  ['last-2w', '2026-11-02 .. 2026-11-15'],
  ['this-week', '2026-11-16 .. 2026-11-22'],
  ['last-week', '2026-11-09 .. 2026-11-15'],
  ['This-Month', '2026-11-01 .. 2026-11-30'],
  ['last-month', '2026-10-01 .. 2026-10-31'],
  ['this-quarter', '2026-10-01 .. 2026-12-31'],
  ['last-quarter', '2026-07-01 .. 2026-09-30'],
  ['this-year', '2026-01-01 .. 2026-12-31'],
  ['last-year', '2025-01-01 .. 2025-12-31'],
  ['2026', '2026-01-01 .. 2026-12-31'],
  ['2026-Q1', '2026-01-01 .. 2026-03-31'],
  ['2026-q3', '2026-07-01 .. 2026-09-30'],
  ['2026-10', '2026-10-01 .. 2026-10-31'],
  ['2024-02', '2024-02-01 .. 2024-02-29'],
  ['2026-W45', '2026-11-02 .. 2026-11-08'],
  ['2026-w01', '2025-12-29 .. 2026-01-04'],
  ['2026-W53', '2026-12-28 .. 2027-01-03'],
  ['2024-02-29', '2024-02-29 .. 2024-02-29'],
  [' 2026-11-01..2026-11-15 ', '2026-11-01 .. 2026-11-15'],
  ['2026-11-01..2026-11-01', '2026-11-01 .. 2026-11-01'],
  ['2026-01..2026-03', '2026-01-01 .. 2026-03-31'],
  ['2025-Q4..2026-W01', '2025-10-01 .. 2026-01-04'],
  ['2026-11-10..yesterday', '2026-11-10 .. 2026-11-17'],
])('%s is %s', (text, expected) => {
  expect(days(text)).toBe(expected);
});

test('weeks begin on Monday, and months and years turn, on their first day too', () => {
  const newYear = Date.parse('2027-01-01T08:00:00Z') / 1_000;
  expect(days('this-week', newYear)).toBe('2026-12-28 .. 2027-01-03');
  expect(days('last-month', newYear)).toBe('2026-12-01 .. 2026-12-31');
  const monday = Date.parse('2026-11-16T00:00:00Z') / 1_000;
  expect(days('last-week', monday)).toBe('2026-11-09 .. 2026-11-15');
  const sunday = Date.parse('2026-11-15T22:59:59Z') / 1_000;
  expect(days('this-week', sunday)).toBe('2026-11-09 .. 2026-11-15');
});

test('last-24h are the 24 hours that end now', () => {
  expect(read('last-24h')).toBe('2026-11-17T15:20:38+0100 .. 2026-11-18T15:20:37+0100');
});

test('today is the zone’s', () => {
  const lateInParis = Date.parse('2026-11-18T22:30:00Z') / 1_000;
  expect(read('today', 'Europe/Paris', lateInParis)).toMatch(/^2026-11-18/);
  expect(read('today', 'Pacific/Auckland', lateInParis)).toMatch(/^2026-11-19/);
  expect(read('today', 'America/Los_Angeles', lateInParis)).toMatch(/^2026-11-18/);
  expect(read('today', 'Pacific/Kiritimati', lateInParis)).toMatch(/^2026-11-19/);
});

describe('days that a clock change cuts or stretches', () => {
  test.each([
    ['2026-03-29', 'Europe/Paris', '2026-03-29T00:00:00+0100 .. 2026-03-29T23:59:59+0200'],
    ['2026-10-25', 'Europe/Paris', '2026-10-25T00:00:00+0200 .. 2026-10-25T23:59:59+0100'],
    // Midnight skipped: the day begins at 01:00.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T01:00:00-0200 .. 2018-11-04T23:59:59-0200'],
    ['2022-03-27', 'Asia/Beirut', '2022-03-27T01:00:00+0300 .. 2022-03-27T23:59:59+0300'],
    // The last hour doubled, and the first.
    ['2022-11-06', 'America/Havana', '2022-11-06T00:00:00-0400 .. 2022-11-06T23:59:59-0500'],
    // Back from 00:01 to 23:01 of the day before: that day ends with its second 23:59:59.
    ['2010-11-06', 'America/St_Johns', '2010-11-06T00:00:00-0230 .. 2010-11-06T23:59:59-0330'],
    ['2026-04-05', 'Australia/Lord_Howe', '2026-04-05T00:00:00+1100 .. 2026-04-05T23:59:59+1030'],
  ])('%s in %s', (text, zone, expected) => {
    expect(read(text, zone)).toBe(expected);
  });
});

describe('what is refused, and what is said', () => {
  test.each([
    ['2026-02-30', '--period 2026-02-30: the calendar has no 2026-02-30.', 'Give today'],
    ['2025-W53', '--period 2025-W53: the calendar has no 2025-W53.', ''],
    ['2026-11-01..2026-11-31', '--period 2026-11-01..2026-11-31: the calendar has no 2026-11-31.', ''],
    ['2026-11-15..2026-11-01', 'the range ends before it begins.', ''],
    [
      '2026-11-01..',
      '--period 2026-11-01..: "" is no day, week, month or year.',
      'a range such as 2026-11-01..2026-11-15',
    ],
    ['2026-10..soon', 'soon is no day, week, month or year.', 'Give today'],
    ['last-weak', '--period last-weak: this is no period.', 'Did you mean last-week?'],
    ['7d', '--period 7d: this is no period.', 'last-7d'],
    ['', '--period "": this is no period.', 'Give today'],
  ])('%s', (text, message, hint) => {
    const error = refusalOf(() => read(text));
    expect(error.message).toContain(message);
    expect(error.hint ?? '').toContain(hint);
  });

  test('a day that the calendar skipped', () => {
    const error = refusalOf(() => read('2011-12-30', 'Pacific/Apia'));
    expect(error.message).toBe(
      '--period 2011-12-30: this day does not exist in Pacific/Apia, where the calendar skipped it.',
    );
  });
});
