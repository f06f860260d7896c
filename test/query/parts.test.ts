import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildBody } from '../../src/query/body.ts';
import { formatDays } from '../../src/query/calendar.ts';
import { commandFor, fixedPeriod } from '../../src/query/command-for.ts';
import { expandName, placeholderValues } from '../../src/query/file-name.ts';
import {
  earlierPart,
  planParts,
  selectShard,
  splitToRetry,
  toWholePart,
} from '../../src/query/parts.ts';
import { queryOfLine, testNowMs } from '../support/query.ts';

const partsOfLine = (line: string, nowMs = testNowMs) => planParts(queryOfLine(line), nowMs);
const daysOfLine = (line: string) => partsOfLine(line).map(formatDays);

test.each([
  [
    '--period 2026-09..2026-10 --by DAILY --split month',
    ['2026-09-01..2026-09-30', '2026-10-01..2026-10-31'],
  ],
  // The running one is named after the whole week.
  ['--since 2026-11-16 --by DAILY --split week', ['2026-11-16..2026-11-22']],
  ['--since 2026-11-17 --by DAILY --split day', ['2026-11-17', '2026-11-18']],
  ['--period last-2w --by WEEKLY', ['2026-11-02..2026-11-08', '2026-11-09..2026-11-15']],
  // From the beginning of the day.
  ['--since -36h --by HOURLY --split day', ['2026-11-17', '2026-11-18']],
  // A folder ends with the last day that is over, unless --until says otherwise.
  ['--since 2026-11-16 --split day -o {date}.csv', ['2026-11-16', '2026-11-17']],
  ['--since 2026-11-17 --until now --split day -o {date}.csv', ['2026-11-17', '2026-11-18']],
  ['--since 2026-11-18 --split day -o {date}.csv', []],
  // Nothing has begun after the running day.
  ['--period this-week --split day -o {date}.csv', ['2026-11-16', '2026-11-17', '2026-11-18']],
])('%s', (line, expected) => {
  expect(daysOfLine(line)).toEqual(expected);
});

test.each([
  ['--period 2026-10-28..2026-11-08 --by DAILY --split week', '2026-10-26..2026-11-08'],
  ['--period 2026-10-03..2026-10-12 --by DAILY --split month', '2026-10-01..2026-10-31'],
  ['--since 2026-11-01 --until 2026-11-10 --split month -o {date}.csv', '2026-11-01..2026-11-30'],
  ['--since 2026-11-16T10:00 --by DAILY --split day', '2026-11-16..2026-11-18'],
])('%s cuts a part; the nearest is %s', (line, nearest) => {
  expect(() => partsOfLine(line)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /^--split (\w+) needs full \1s, but .* includes a partial \1\.$/,
      ),
      hint: expect.stringContaining(`--period ${nearest}.`),
    }),
  );
  expect(
    partsOfLine(line.replace(/--(period|since).*?(?= --(by|split))/, `--period ${nearest}`)).length,
  ).toBeGreaterThan(0);
});

test('more than 20,000 parts, and a period that has not begun, are refused', () => {
  expect(() => partsOfLine('--period 1970-01-02..2024-10-05 --by DAILY --split day')).toThrow(
    '--split day would request more than 20,000 reports for this period.',
  );
  expect(() => partsOfLine('--period 2027')).toThrow('The period has not begun');
});

test('parts cover their period without gaps, and a report that failed is cut anywhere', () => {
  const anyPeriod = fc.constantFrom('last-24h', 'last-7d', '2026-10', '2026-W43', 'today');
  fc.assert(
    fc.property(anyPeriod, fc.constantFrom('DAILY', 'HOURLY', 'MONTHLY'), (period, by) => {
      const whole = toWholePart(queryOfLine(`--period ${period} --by ${by}`), testNowMs);
      const parts = splitToRetry(whole);
      expect([parts[0]?.since, parts.at(-1)?.until]).toEqual([whole.since, whole.until]);
      for (const [index, part] of parts.entries()) {
        if (index > 0) expect(part.since).toBe((parts[index - 1]?.until ?? 0) + 1);
      }
    }),
  );
});

describe('shards', () => {
  const year = partsOfLine('--period 2025-11-01..2026-10-31 --by DAILY --split day');

  test('cover all parts without overlap, counted from 0 or 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.boolean(), (count, fromOne) => {
        const shards = Array.from({ length: count }, (_, index) =>
          selectShard(year, { index: fromOne ? index + 1 : index, count }),
        );
        const days = shards.flat().map(({ firstDay }) => firstDay);
        expect(days.sort()).toEqual(year.map(({ firstDay }) => firstDay));
        const sizes = shards.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['--period 2026-11-12..2026-11-17 --split day', ['13', '15', '17']],
    ['--period 2026-11-13..2026-11-17 --split day', ['13', '15', '17']],
    // 1969-12-29 was the Monday of week 0.
    ['--period 2026-10-19..2026-11-15 --split week', ['19', '02']],
  ])('1/2 of %s is the same in every run', (line, expected) => {
    const parts = selectShard(partsOfLine(`${line} -o {date}.csv`), { index: 1, count: 2 });
    expect(parts.map(({ firstDay }) => firstDay.slice(-2))).toEqual(expected);
  });
});

const read = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(0, 19);

test('a body has the instants of its part, and the zone of a DSP', () => {
  const [part] = partsOfLine('--period 2026-11-01 --profile dsp --timezone Asia/Tokyo --direct');
  expect(part && buildBody(part)).toEqual({
    since: Date.parse('2026-10-31T15:00:00Z') / 1_000,
    until: Date.parse('2026-11-01T14:59:59Z') / 1_000,
    metrics: 'displays,revenueEuro,revenueDollar',
    timezone: 'Asia/Tokyo',
    output: 'direct',
  });
});

test('computed metrics and weeks are requested as what they are made of', () => {
  const [part] = partsOfLine(
    '--period 2026-W45 --by WEEKLY,OS --metrics clicks,ecpmEuro,ctr --country FR',
  );
  expect(part && buildBody(part)).toMatchObject({
    metrics: 'clicks,revenueEuro,displays',
    breakdowns: ['RANGE', 'OS'],
    countryId: ['3017382'],
  });
});

test.each(['2026-03-29', '2026-10-25', '2026-10-24..2026-10-26'])(
  'a service that reads wall time gets %s as if it were UTC',
  (period) => {
    const line = `--period ${period} --by DAILY --split day --window-clock wall`;
    for (const part of partsOfLine(line)) {
      const { since, until } = buildBody(part);
      expect([read(since), read(until)]).toEqual([
        `${part.firstDay}T00:00:00`,
        `${part.firstDay}T23:59:59`,
      ]);
    }
  },
);

test('wall times that would end before they begin are refused', () => {
  const line = '--since 2026-10-25T02:50+02:00 --until 2026-10-25T02:10+01:00';
  const [part] = partsOfLine(`${line} --window-clock wall`);
  expect(() => part && buildBody(part)).toThrow('this period ends before it begins');
});

test('names of campaigns are never left out of a body', () => {
  const [part] = partsOfLine('--period 2026-11-01 --campaign Summer*');
  expect(() => part && buildBody(part)).toThrow('not looked up');
});

test('weeks are compared with the days of the weeks before', () => {
  const whole = toWholePart(queryOfLine('--period 2026-W45 --by WEEKLY --compare'), testNowMs);
  const earlier = earlierPart(whole);
  expect([formatDays(earlier), buildBody(earlier).breakdowns]).toEqual([
    '2026-10-26..2026-11-01',
    ['DAILY'],
  ]);
});

test.each([
  [
    '--period last-week -o {profile}-{report}-{account}-{since}-{until}.csv',
    'buyer-total-default-2026-11-09-2026-11-15.csv',
  ],
  ['--period today --by DAILY,OS -o {report}_{{x}}.csv', 'daily-os_{x}.csv'],
])('%s is written to %s', (line, name) => {
  const [part] = partsOfLine(line);
  expect(part && expandName(part.query.outputs[0].path, placeholderValues(part))).toBe(name);
});

test('the command of a part asks for the same days tomorrow', () => {
  const tomorrow = testNowMs + 86_400_000;
  for (const line of [
    '--period last-week',
    '--since -36h',
    '--period this-month',
    '--since -7d --split day -o {date}.csv',
  ]) {
    const parts = partsOfLine(line);
    const [first] = parts;
    const last = parts.at(-1);
    if (!first || !last) throw new Error('There are parts.');
    const command = commandFor(first.query, fixedPeriod(first, last), { platform: 'linux' });
    const words = command.replaceAll("'", '').replace('adreport run ', '');
    const again = partsOfLine(words, tomorrow);
    expect(again[0]?.since).toBe(first.since);
    expect(again.at(-1)?.end).toBe(last.end);
  }
});
