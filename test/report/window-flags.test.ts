import { describe, expect, test } from 'vitest';
import { describeWindow } from '../../src/report/window.ts';
import { resolveWindow, type WindowFlags } from '../../src/report/window-flags.ts';
import { refusalOf } from './refusal.ts';

/** Wednesday 2026-11-18, 15:20:37 in Paris. */
const nowMs = Date.parse('2026-11-18T14:20:37.250Z');

function resolve(flags: Partial<WindowFlags>) {
  return resolveWindow({ zone: 'Europe/Paris', nowMs, ...flags });
}

/** A window as `first .. last` in local time. */
function read(flags: Partial<WindowFlags>): string {
  const { since, until } = describeWindow(resolve(flags));
  return `${since} .. ${until}`;
}

describe('--since and --until', () => {
  test.each([
    ['2026-11-01', '2026-11-01', '2026-11-01T00:00:00+0100 .. 2026-11-01T23:59:59+0100'],
    ['2026-11-01', undefined, '2026-11-01T00:00:00+0100 .. 2026-11-18T15:20:37+0100'],
    ['2026-11-01', 'now', '2026-11-01T00:00:00+0100 .. 2026-11-18T15:20:37+0100'],
    ['yesterday', 'today', '2026-11-17T00:00:00+0100 .. 2026-11-18T23:59:59+0100'],
    ['-36h', undefined, '2026-11-17T03:20:37+0100 .. 2026-11-18T15:20:37+0100'],
    ['-7d', '-1d', '2026-11-11T15:20:37+0100 .. 2026-11-17T15:20:37+0100'],
    ['-4W', 'NOW', '2026-10-21T15:20:37+0200 .. 2026-11-18T15:20:37+0100'],
    ['0', '1417392000', '1970-01-01T01:00:00+0100 .. 2014-12-01T01:00:00+0100'],
    ['1417392000', '1420070399', '2014-12-01T01:00:00+0100 .. 2015-01-01T00:59:59+0100'],
    ['2026-10', '2026-W45', '2026-10-01T00:00:00+0200 .. 2026-11-08T23:59:59+0100'],
    ['2026-Q3', 'last-month', '2026-07-01T00:00:00+0200 .. 2026-10-31T23:59:59+0100'],
    ['2026-11-01T14:30', '2026-11-01 15:30:15', '2026-11-01T14:30:00+0100 .. 2026-11-01T15:30:15+0100'],
    ['2026-11-01T14', '2026-11-01T14:30Z', '2026-11-01T14:00:00+0100 .. 2026-11-01T15:30:00+0100'],
    ['2026-11-01T14:30:00+05:45', '2026-11-01T14:30-0330', '2026-11-01T09:45:00+0100 .. 2026-11-01T19:00:00+0100'],
    ['2026-11-01T00:00:00.001Z', '2026-11-01T00:00:09.999z', '2026-11-01T01:00:01+0100 .. 2026-11-01T01:00:09+0100'],
    [' 2024-02-29 ', '2024-02-29', '2024-02-29T00:00:00+0100 .. 2024-02-29T23:59:59+0100'],
  ])('%s to %s', (since, until, expected) => {
    expect(read({ since, until })).toBe(expected);
  });

  test('the zone is the report’s, with its 30 and 45 minutes', () => {
    expect(read({ since: 'today', until: 'today', zone: 'Asia/Kathmandu' })).toBe(
      '2026-11-18T00:00:00+0545 .. 2026-11-18T23:59:59+0545',
    );
    expect(read({ since: '2026-11-01T00:00', until: '2026-11-02', zone: 'America/St_Johns' })).toBe(
      '2026-11-01T00:00:00-0230 .. 2026-11-02T23:59:59-0330',
    );
  });

  test('a zone is known in any case, and by its aliases', () => {
    expect(resolve({ since: 'today', zone: 'europe/paris' }).zone).toBe('Europe/Paris');
    expect(resolve({ since: 'today', zone: 'Asia/Kolkata' }).zone).toBe('Asia/Kolkata');
    expect(resolve({ since: 'today', zone: 'utc' }).zone).toBe('UTC');
  });
});

describe('clock changes', () => {
  test('a skipped time is the first instant after it for since, the last before it for until', () => {
    expect(resolve({ since: '2026-03-29T02:30', until: '2026-03-30' })).toMatchObject({
      since: Date.parse('2026-03-29T01:00:00Z') / 1_000,
      notes: [
        '--since 2026-03-29T02:30 does not exist in Europe/Paris, where the clocks change: ' +
          '2026-03-29T03:00:00+0200 is taken.',
      ],
    });
    expect(resolve({ since: '2026-03-28', until: '2026-03-29T02:30' })).toMatchObject({
      until: Date.parse('2026-03-29T00:59:59Z') / 1_000,
      notes: [
        '--until 2026-03-29T02:30 does not exist in Europe/Paris, where the clocks change: ' +
          '2026-03-29T01:59:59+0100 is taken.',
      ],
    });
  });

  test('a doubled time is the first for since, the last for until', () => {
    expect(resolve({ since: '2026-10-25T02:30', until: '2026-10-25T02:30' })).toEqual({
      since: Date.parse('2026-10-25T00:30:00Z') / 1_000,
      until: Date.parse('2026-10-25T01:30:00Z') / 1_000,
      zone: 'Europe/Paris',
      notes: [
        '--since 2026-10-25T02:30 happens twice in Europe/Paris, where the clocks change: ' +
          '2026-10-25T02:30:00+0200 is taken.',
        '--until 2026-10-25T02:30 happens twice in Europe/Paris, where the clocks change: ' +
          '2026-10-25T02:30:00+0100 is taken.',
      ],
    });
  });

  test('an offset leaves nothing to resolve', () => {
    const window = resolve({ since: '2026-10-25T02:30+02:00', until: '2026-10-25T02:30+01:00' });
    expect(window).toMatchObject({ since: 1_792_888_200, until: 1_792_891_800, notes: [] });
  });

  test('days ago are the same time of day, hours ago are hours', () => {
    const afterChange = Date.parse('2026-10-26T11:00:00Z');
    expect(read({ since: '-2d', nowMs: afterChange })).toMatch('2026-10-24T12:00:00+0200');
    expect(read({ since: '-48h', nowMs: afterChange })).toMatch('2026-10-24T13:00:00+0200');
    const skipped = resolve({ since: '-1d', nowMs: Date.parse('2026-03-30T00:30:00Z') });
    expect(skipped.notes).toHaveLength(1);
  });
});

describe('what is refused, and what is said', () => {
  test.each<[Partial<WindowFlags>, string, string]>([
    [{ since: '2026-02-30' }, '--since 2026-02-30: the calendar has no 2026-02-30.', 'Give a day'],
    [{ since: '2026-11-01T10:60' }, 'the calendar has no 2026-11-01T10:60.', 'Give a day'],
    [{ since: '1764547200000' }, 'unix seconds have five to ten digits, but not eight.', 'unix seconds, now'],
    [{ since: '1764547200.5' }, 'unix seconds have five to ten digits', 'unix seconds, now'],
    [{ since: '-7' }, '--since -7: unix seconds have five to ten digits', 'a time ago (-36h, -7d, -2w)'],
    [{ since: '2026' }, '--since 2026: unix seconds have five to ten digits, but not eight.', 'Give a day (2026-11-01'],
    [{ since: '2026/11/1' }, '--since 2026/11/1: this is no day and no time.', 'Give a day (2026-11-01'],
    [{ since: 'yesterdya' }, '--since yesterdya: this is no day and no time.', 'Did you mean yesterday?'],
    [{ since: '1960-01-01' }, 'The window begins before 1970', ''],
    [{ since: 'today', until: 'yesterday' }, 'is after --until 2026-11-17T23:59:59+0100', 'from --since to --until'],
    [{}, 'The report has no window.', '--period yesterday'],
    [{ until: 'now' }, '--until needs --since.', '--since 2026-11-01 --until 2026-11-15'],
    [{ period: 'today', since: 'today' }, '--period and --since both name a window.', 'Give --period, or'],
    [
      { since: 'today', zone: 'Europe/Pariss' },
      '--timezone Europe/Pariss: there is no such time zone.',
      'Europe/Paris?',
    ],
    [{ since: 'today', zone: 'paris' }, '--timezone paris: there is no such time zone.', 'Did you mean Europe/Paris?'],
    [{ since: 'today', zone: '+02:00' }, '--timezone +02:00: there is no such time zone.', 'TZ database'],
  ])('%o', (flags, message, hint) => {
    const said = refusalOf(() => resolve(flags));
    expect(said.message).toContain(message);
    expect(said.hint ?? '').toContain(hint);
  });
});

describe('describeWindow', () => {
  test.each([
    [{ period: '2026-11-01' }, '24 h'],
    [{ period: '2026-10-25' }, '25 h: clock change'],
    [{ period: '2026-03-29' }, '23 h: clock change'],
    [{ period: '2026-W45' }, '7 days'],
    [{ period: '2026-W43' }, '7 days: clock change'],
    [{ period: '2026' }, '365 days'],
    [{ period: 'last-24h' }, '24 h'],
    [{ since: '2026-11-01T10:00', until: '2026-11-01T11:30:14' }, '1 h 30 min'],
    [{ since: '2026-10-25T00:00', until: '2026-10-25T11:59:59' }, '13 h: clock change'],
    [{ period: '2022-11-06', zone: 'America/Havana' }, '25 h: clock change'],
    [{ period: '2011-12-29..2011-12-31', zone: 'Pacific/Apia' }, '3 days: clock change'],
  ])('%o lasts %s', (flags, length) => {
    expect(describeWindow(resolve(flags)).length).toBe(length);
  });
});
