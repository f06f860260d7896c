import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeWindow, formatDate, formatInstant } from '../../src/query/window.ts';
import { resolveWindow, type WindowFlags } from '../../src/query/window-flags.ts';

/** Wednesday 2026-11-18, 15:20:37 in Paris; in the 47th ISO week. */
const nowMs = Date.parse('2026-11-18T14:20:37.250Z');

function resolve(flags: Partial<WindowFlags>) {
  return resolveWindow({ zone: 'Europe/Paris', nowMs, ...flags });
}

/** A window as `first .. last` in local time. */
function read(flags: Partial<WindowFlags>): string {
  const { since, until } = describeWindow(resolve(flags));
  return `${since} .. ${until}`;
}

/** A period of whole days, as its first and last day. */
const days = (period: string, now = new Date(nowMs).toISOString()): string =>
  read({ period, nowMs: Date.parse(now) })
    .replaceAll(/T00:00:00\S+ |T23:59:59\S+$/g, ' ')
    .trim();

describe('--period', () => {
  test.each([
    { text: 'today', expected: '2026-11-18 .. 2026-11-18' },
    { text: 'yesterday', expected: '2026-11-17 .. 2026-11-17' },
    { text: 'last-7d', expected: '2026-11-11 .. 2026-11-17' },
    { text: 'last-2w', expected: '2026-11-02 .. 2026-11-15' },
    { text: 'this-week', expected: '2026-11-16 .. 2026-11-22' },
    { text: 'last-week', expected: '2026-11-09 .. 2026-11-15' },
    { text: 'This-Month', expected: '2026-11-01 .. 2026-11-30' },
    { text: 'last-month', expected: '2026-10-01 .. 2026-10-31' },
    { text: 'this-quarter', expected: '2026-10-01 .. 2026-12-31' },
    { text: 'last-quarter', expected: '2026-07-01 .. 2026-09-30' },
    { text: 'this-year', expected: '2026-01-01 .. 2026-12-31' },
    { text: 'last-year', expected: '2025-01-01 .. 2025-12-31' },
    { text: '2026', expected: '2026-01-01 .. 2026-12-31' },
    { text: '2026-Q1', expected: '2026-01-01 .. 2026-03-31' },
    { text: '2026-10', expected: '2026-10-01 .. 2026-10-31' },
    { text: '2024-02', expected: '2024-02-01 .. 2024-02-29' },
    { text: '2026-W45', expected: '2026-11-02 .. 2026-11-08' },
    { text: '2026-w01', expected: '2025-12-29 .. 2026-01-04' },
    { text: '2026-W53', expected: '2026-12-28 .. 2027-01-03' },
    { text: '2024-02-29', expected: '2024-02-29 .. 2024-02-29' },
    { text: ' 2026-11-01..2026-11-15 ', expected: '2026-11-01 .. 2026-11-15' },
    { text: '2025-Q4..2026-W01', expected: '2025-10-01 .. 2026-01-04' },
    { text: '2026-11-10..yesterday', expected: '2026-11-10 .. 2026-11-17' },
  ])('$text is $expected', ({ text, expected }) => {
    expect(days(text)).toBe(expected);
  });

  test('this-week, this-month and this-year on the first day of each', () => {
    expect(days('this-week', '2027-01-01T08:00:00Z')).toBe('2026-12-28 .. 2027-01-03');
    expect(days('last-month', '2027-01-01T08:00:00Z')).toBe('2026-12-01 .. 2026-12-31');
    expect(days('last-week', '2026-11-16T00:00:00Z')).toBe('2026-11-09 .. 2026-11-15');
    expect(days('this-week', '2026-11-15T22:59:59Z')).toBe('2026-11-09 .. 2026-11-15');
  });

  test('last-24h is the 24 hours until now', () => {
    expect(read({ period: 'last-24h' })).toBe(
      '2026-11-17T15:20:38+01:00 .. 2026-11-18T15:20:37+01:00',
    );
  });

  test.each([
    {
      period: '2026-03-29',
      zone: 'Europe/Paris',
      expected: '2026-03-29T00:00:00+01:00 .. 2026-03-29T23:59:59+02:00',
    },
    {
      period: '2026-10-25',
      zone: 'Europe/Paris',
      expected: '2026-10-25T00:00:00+02:00 .. 2026-10-25T23:59:59+01:00',
    },
    // Midnight is skipped: the day begins at 01:00.
    {
      period: '2018-11-04',
      zone: 'America/Sao_Paulo',
      expected: '2018-11-04T01:00:00-02:00 .. 2018-11-04T23:59:59-02:00',
    },
    // A repeated last hour, and a repeated first hour.
    // Back from 00:01 to 23:01 of the day before: that day ends with its second 23:59:59.
    {
      period: '2010-11-06',
      zone: 'America/St_Johns',
      expected: '2010-11-06T00:00:00-02:30 .. 2010-11-06T23:59:59-03:30',
    },
    {
      period: '2026-04-05',
      zone: 'Australia/Lord_Howe',
      expected: '2026-04-05T00:00:00+11:00 .. 2026-04-05T23:59:59+10:30',
    },
  ])(
    'a day that a clock change cuts or stretches: $period in $zone',
    ({ period, zone, expected }) => {
      expect(read({ period, zone })).toBe(expected);
    },
  );
});

describe('--since and --until', () => {
  test.each([
    {
      since: '2026-11-01',
      until: '2026-11-01',
      expected: '2026-11-01T00:00:00+01:00 .. 2026-11-01T23:59:59+01:00',
    },
    { since: '2026-11-01', expected: '2026-11-01T00:00:00+01:00 .. 2026-11-18T15:20:37+01:00' },
    {
      since: '2026-11-01',
      until: 'now',
      expected: '2026-11-01T00:00:00+01:00 .. 2026-11-18T15:20:37+01:00',
    },
    {
      since: 'yesterday',
      until: 'today',
      expected: '2026-11-17T00:00:00+01:00 .. 2026-11-18T23:59:59+01:00',
    },
    { since: '-36h', expected: '2026-11-17T03:20:37+01:00 .. 2026-11-18T15:20:37+01:00' },
    {
      since: '-7d',
      until: '-1d',
      expected: '2026-11-11T15:20:37+01:00 .. 2026-11-17T15:20:37+01:00',
    },
    {
      since: '0',
      until: '1417392000',
      expected: '1970-01-01T01:00:00+01:00 .. 2014-12-01T01:00:00+01:00',
    },
    {
      since: '2026-10',
      until: '2026-W45',
      expected: '2026-10-01T00:00:00+02:00 .. 2026-11-08T23:59:59+01:00',
    },
    {
      since: '2026-11-01T14:30',
      until: '2026-11-01 15:30:15',
      expected: '2026-11-01T14:30:00+01:00 .. 2026-11-01T15:30:15+01:00',
    },
    {
      since: '2026-11-01T14',
      until: '2026-11-01T14:30Z',
      expected: '2026-11-01T14:00:00+01:00 .. 2026-11-01T15:30:00+01:00',
    },
    {
      since: '2026-11-01T14:30:00+05:45',
      until: '2026-11-01T14:30-0330',
      expected: '2026-11-01T09:45:00+01:00 .. 2026-11-01T19:00:00+01:00',
    },
    {
      since: '2026-11-01T00:00:00.001Z',
      until: '2026-11-01T00:00:09.999z',
      expected: '2026-11-01T01:00:01+01:00 .. 2026-11-01T01:00:09+01:00',
    },
  ])('$since to $until', ({ since, until, expected }) => {
    expect(read({ since, until })).toBe(expected);
  });

  test('zones in any case, aliases, and offsets of 30 and 45 minutes', () => {
    expect(read({ since: 'today', until: 'today', zone: 'Asia/Kathmandu' })).toBe(
      '2026-11-18T00:00:00+05:45 .. 2026-11-18T23:59:59+05:45',
    );
    expect(read({ since: '2026-11-01T00:00', until: '2026-11-02', zone: 'America/St_Johns' })).toBe(
      '2026-11-01T00:00:00-02:30 .. 2026-11-02T23:59:59-03:30',
    );
    expect(resolve({ since: 'today', zone: 'europe/paris' }).zone).toBe('Europe/Paris');
    expect(resolve({ since: 'today', zone: 'Asia/Kolkata' }).zone).toBe('Asia/Kolkata');
    expect(resolve({ since: 'today', zone: 'utc' }).zone).toBe('UTC');
  });
});

describe('clock changes', () => {
  const skipped = 'does not exist in Europe/Paris because of a clock change';
  const doubled = 'happens twice in Europe/Paris because of a clock change';

  interface ClockChange {
    readonly since: string;
    readonly until: string;
    readonly expected: string;
    readonly notes: readonly string[];
  }

  test.each<ClockChange>([
    // A skipped time means the first instant after it for since, the last before it for until.
    {
      since: '2026-03-29T02:30',
      until: '2026-03-30',
      expected: '2026-03-29T03:00:00+02:00 .. 2026-03-30T23:59:59+02:00',
      notes: [`--since “2026-03-29T02:30” ${skipped}; using 2026-03-29T03:00:00+0200.`],
    },
    {
      since: '2026-03-28',
      until: '2026-03-29T02:30',
      expected: '2026-03-28T00:00:00+01:00 .. 2026-03-29T01:59:59+01:00',
      notes: [`--until “2026-03-29T02:30” ${skipped}; using 2026-03-29T01:59:59+0100.`],
    },
    // A repeated time means its first instant for since, its last for until.
    {
      since: '2026-10-25T02:30',
      until: '2026-10-25T02:30',
      expected: '2026-10-25T02:30:00+02:00 .. 2026-10-25T02:30:00+01:00',
      notes: [
        `--since “2026-10-25T02:30” ${doubled}; using 2026-10-25T02:30:00+0200.`,
        `--until “2026-10-25T02:30” ${doubled}; using 2026-10-25T02:30:00+0100.`,
      ],
    },
    // With an offset there is nothing to resolve.
    {
      since: '2026-10-25T02:30+02:00',
      until: '2026-10-25T02:30+01:00',
      expected: '2026-10-25T02:30:00+02:00 .. 2026-10-25T02:30:00+01:00',
      notes: [],
    },
  ])('$since to $until', ({ since, until, expected, notes }) => {
    expect(read({ since, until })).toBe(expected);
    expect(resolve({ since, until }).notes).toEqual(notes);
  });

  test('-7d keeps the time of day across clock changes; -36h is exactly 36 hours', () => {
    const afterChange = Date.parse('2026-10-26T11:00:00Z');

    expect(read({ since: '-2d', nowMs: afterChange })).toMatch('2026-10-24T12:00:00+02:00');
    expect(read({ since: '-48h', nowMs: afterChange })).toMatch('2026-10-24T13:00:00+02:00');
    expect(resolve({ since: '-1d', nowMs: Date.parse('2026-03-30T00:30:00Z') }).notes).toHaveLength(
      1,
    );
  });
});

describe('invalid windows', () => {
  test.each([
    {
      flags: { since: '2026-02-30' },
      message: '--since “2026-02-30”: there is no such date.',
      hint: 'Use a day',
    },
    {
      flags: { since: '2026-11-01T10:60' },
      message: 'there is no such time.',
      hint: 'Use a day',
    },
    {
      flags: { since: '1764547200000' },
      message: 'unix seconds have five to ten digits, but not eight.',
      hint: 'unix seconds, now',
    },
    {
      flags: { since: '-7' },
      message: '--since “-7”: unix seconds have five to ten digits',
      hint: 'a relative time (-36h, -7d, -2w)',
    },
    {
      flags: { since: 'yesterdya' },
      message: 'Cannot read --since “yesterdya”.',
      hint: 'Did you mean yesterday?',
    },
    { flags: { since: '1960-01-01' }, message: 'The period begins before 1970', hint: '' },
    { flags: { since: '2030-01-01' }, message: '--since is in the future.', hint: 'add --until' },
    {
      flags: { since: '01/11/2026' },
      message: 'Cannot read --since “01/11/2026”.',
      hint: 'Did you mean 2026-11-01 or 2026-01-11?',
    },
    {
      flags: { since: 'today', until: 'yesterday' },
      message: 'is after --until 2026-11-17T23:59:59+0100',
      hint: 'Swap them',
    },
    { flags: {}, message: 'No period given.', hint: '--period yesterday' },
    {
      flags: { until: 'now' },
      message: '--until needs --since.',
      hint: '--since 2026-11-01 --until 2026-11-15',
    },
    {
      flags: { period: 'today', since: 'today' },
      message: '--period cannot be used with --since.',
      hint: 'Use either --period, or',
    },
    {
      flags: { since: 'today', zone: 'Europe/Pariss' },
      message: '--timezone “Europe/Pariss”: unknown time zone.',
      hint: 'Europe/Paris?',
    },
    {
      flags: { since: 'today', zone: 'paris' },
      message: '--timezone “paris”: unknown time zone.',
      hint: 'Did you mean Europe/Paris?',
    },
    {
      flags: { since: 'today', zone: '+02:00' },
      message: '--timezone “+02:00”: unknown time zone.',
      hint: 'TZ database',
    },
    {
      flags: { period: '2026-02-30' },
      message: '--period “2026-02-30”: there is no such date.',
      hint: 'Use today',
    },
    {
      flags: { period: '2025-W53' },
      message: '--period “2025-W53”: there is no such week.',
      hint: '',
    },
    {
      flags: { period: '2026-11-15..2026-11-01' },
      message: 'the range ends before it begins.',
      hint: '',
    },
    {
      flags: { period: '2026-11-01..' },
      message: '--period “2026-11-01..”: “” is not a day, week, month or year.',
      hint: 'a range such as',
    },
    {
      flags: { period: 'last-weak' },
      message: 'Unknown period “last-weak”.',
      hint: 'Did you mean last-week?',
    },
    { flags: { period: '' }, message: 'Unknown period “”.', hint: 'Use today' },
    {
      flags: { period: '2011-12-30', zone: 'Pacific/Apia' },
      message: 'this day does not exist in Pacific/Apia',
      hint: 'Choose another day.',
    },
  ])('$flags', ({ flags, message, hint }) => {
    const refusal = {
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
    expect(() => resolve(flags)).toThrow(expect.objectContaining(refusal));
  });
});

describe('describeWindow', () => {
  test.each([
    { flags: { period: '2026-11-01' }, length: '24 h' },
    { flags: { period: '2026-10-25' }, length: '25 h: clock change' },
    { flags: { period: '2026-03-29' }, length: '23 h: clock change' },
    { flags: { period: '2026-W45' }, length: '7 days' },
    { flags: { period: '2026-W43' }, length: '7 days: clock change' },
    { flags: { since: '2026-11-01T10:00', until: '2026-11-01T11:30:14' }, length: '1 h 30 min' },
    {
      flags: { since: '2026-10-25T00:00', until: '2026-10-25T11:59:59' },
      length: '13 h: clock change',
    },
    { flags: { period: '2022-11-06', zone: 'America/Havana' }, length: '25 h: clock change' },
    {
      flags: { period: '2011-12-29..2011-12-31', zone: 'Pacific/Apia' },
      length: '3 days: clock change',
    },
  ])('$flags lasts $length', ({ flags, length }) => {
    expect(describeWindow(resolve(flags)).length).toBe(length);
  });
});

describe('any zone', () => {
  const anyZone = fc.constantFrom(
    ...Intl.supportedValuesOf('timeZone'),
    'UTC',
    'Asia/Kolkata',
    'America/Buenos_Aires',
  );

  /** From 2000 to 2040. */
  const anyInstant = fc.integer({ min: 946_684_800, max: 2_208_988_799 });

  /** The local date as formatted by the platform: the reference for our arithmetic. */
  const dateByIntl = (instant: number, zone: string): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(
      instant * 1_000,
    );

  test('the period of a day contains exactly the instants with that local date', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.nat(86_400), (zone, instant, into) => {
        const day = formatDate(instant, zone);
        const { since, until } = resolveWindow({ period: day, zone, nowMs: 0 });
        const inside = Math.min(since + into, until);
        expect([since, inside, until].map((each) => dateByIntl(each, zone))).toEqual([
          day,
          day,
          day,
        ]);
        expect(dateByIntl(since - 1, zone) < day && dateByIntl(until + 1, zone) > day).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('a wall time without an offset resolves to its first or last instant', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, (zone, instant) => {
        const text = formatInstant(instant, zone).slice(0, 19);
        const { since, until, notes } = resolveWindow({ since: text, until: text, zone, nowMs: 0 });
        expect(since <= instant && instant <= until).toBe(true);
        expect(notes).toHaveLength(since === until ? 0 : 2);
        expect([since, until].map((each) => formatInstant(each, zone).slice(0, 19))).toEqual([
          text,
          text,
        ]);
      }),
      { numRuns: 60 },
    );
  });

  test('the machine’s zone makes no difference', () => {
    const nowMs = 1_795_000_000_000;
    const zoneBefore = process.env.TZ;
    const found = ['Pacific/Auckland', 'America/Los_Angeles', 'UTC'].map((machineZone) => {
      process.env.TZ = machineZone;
      const window = resolveWindow({
        since: 'today',
        until: '2026-11-19T10:00',
        zone: 'Europe/Paris',
        nowMs,
      });
      return { machineHour: new Date(nowMs).getHours(), window };
    });
    if (zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = zoneBefore;

    const machineHours = new Set(found.map(({ machineHour }) => machineHour));
    // On Windows, TZ may not change the zone.
    if (process.platform !== 'win32') expect(machineHours.size).toBe(3);
    for (const { window } of found) expect(window).toEqual(found[0]?.window);
  });
});
