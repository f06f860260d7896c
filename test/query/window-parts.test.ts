import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { SplitUnit } from '../../src/query/calendar.ts';
import { planReport } from '../../src/query/request.ts';
import { mergeReports, splitPlan, takeShard } from '../../src/query/window-parts.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import type { RowBatches } from '../../src/rows/row-batch.ts';
import { readBatches } from '../rows/read-rows.ts';
import { chunksOf } from '../rows/report-documents.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

describe('whole units, one file each', () => {
  /** Wednesday 2026-11-18, 15:20:37 in Paris. */
  const nowMs = Date.parse('2026-11-18T14:20:37Z');
  const split = (flags: { period?: string; since?: string; until?: string }, unit: SplitUnit) => {
    const plan = planReport({ profile: 'buyer', ...flags, nowMs });
    return splitPlan(plan, unit, nowMs / 1_000).map(({ since, until }) => `${since}..${until}`);
  };

  test.each([
    {
      flags: { period: '2026-09..2026-10' },
      unit: 'month',
      expected: ['2026-09-01..2026-09-30', '2026-10-01..2026-10-31'],
    },
    // The last one ends now, but is named after the whole unit.
    { flags: { since: '2026-11-16' }, unit: 'week', expected: ['2026-11-16..2026-11-22'] },
    {
      flags: { since: '2026-10-01' },
      unit: 'month',
      expected: ['2026-10-01..2026-10-31', '2026-11-01..2026-11-30'],
    },
    {
      flags: { since: '2026-11-17' },
      unit: 'day',
      expected: ['2026-11-17..2026-11-17', '2026-11-18..2026-11-18'],
    },
  ] as const)('$flags by $unit', ({ flags, unit, expected }) => {
    expect(split(flags, unit)).toEqual(expected);
  });

  test.each([
    { flags: { period: '2026-10-28..2026-11-08' }, unit: 'week', period: '2026-10-26..2026-11-08' },
    {
      flags: { period: '2026-10-03..2026-10-12' },
      unit: 'month',
      period: '2026-10-01..2026-10-31',
    },
    { flags: { since: '-36h' }, unit: 'day', period: '2026-11-17..2026-11-18' },
    {
      flags: { since: '2026-11-01', until: '2026-11-10' },
      unit: 'month',
      period: '2026-11-01..2026-11-30',
    },
  ] as const)('$flags by $unit is refused; the nearest is $period', ({ flags, unit, period }) => {
    const message = expect.stringMatching(
      /^--split (\w+) with one file per \1 needs full \1s, but the period .* includes a partial \1\.$/,
    );

    const refusal = { exitCode: 2, message, hint: expect.stringContaining(`--period ${period}.`) };

    expect(() => split(flags, unit)).toThrow(expect.objectContaining(refusal));
    expect(split({ period }, unit).length).toBeGreaterThan(0);
  });
});

describe('shards', () => {
  const partsIn = (period: string, unit: SplitUnit) => {
    const plan = planReport({ profile: 'buyer', period, nowMs: Date.UTC(2026, 11, 1) });
    return splitPlan(plan, unit);
  };
  const year = partsIn('2025-11-01..2026-10-31', 'day');

  test('N shards cover all parts without overlap, counted from 0 or 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.boolean(), (count, fromOne) => {
        const shards = Array.from({ length: count }, (_, index) => {
          return takeShard(year, `${fromOne ? index + 1 : index}/${count}`, 'day');
        });
        const starts = shards.flat().map(({ window }) => window.since);
        expect(starts.sort((one, other) => one - other)).toEqual(
          year.map(({ window }) => window.since),
        );
        const sizes = shards.map((shard) => shard.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    { period: '2026-11-25..2026-11-30', unit: 'day', expected: ['25', '27', '29'] },
    { period: '2026-11-26..2026-11-30', unit: 'day', expected: ['27', '29'] },
    // 1969-12-29 was the Monday of week 0.
    { period: '2026-11-02..2026-11-29', unit: 'week', expected: ['02', '16'] },
    { period: '2026-10-01..2026-11-30', unit: 'month', expected: ['01'] },
  ] as const)('1/2 of $period by $unit is the same in every run', ({ period, unit, expected }) => {
    const days = takeShard(partsIn(period, unit), '1/2', unit).map(({ since }) => since.slice(-2));
    expect(days).toEqual(expected);
  });

  test.each(['5/4', '1/0', '1', '1/2/3', '-1/4', 'a/b', '1/4 of it'])('%s is refused', (text) => {
    expect(() => takeShard(year, text, 'day')).toThrow(UsageError);
  });
});

describe('merging', () => {
  const zone = { breakdowns: ['DAILY'], timezone: 'europe/paris' };
  const documentOf = (n: number, summary: object, other: object = {}) =>
    JSON.stringify({ data: [{ n }], summary: { ...summary, ...zone, note: 'é' }, ...other });
  let begun = 0;
  async function* reportsOf(documents: readonly string[]): AsyncGenerator<RowBatches> {
    begun = 0;
    for (const document of documents) {
      begun += 1;
      yield readRows(chunksOf(Buffer.from(document), 65_536));
    }
  }

  test('the summary covers all parts; other members are kept if all parts agree', async () => {
    const documents = [
      documentOf(1, { since: 'a', until: 'b' }, { version: 2, total: 1 }),
      documentOf(2, { since: 'c', until: 'd' }, { version: 2, total: 1, more: true }),
      documentOf(3, { since: 'e', until: 'f' }, { version: 2, total: 7 }),
    ];

    const { rows, tail } = await readBatches(
      mergeReports(reportsOf(documents), { isWeekly: false }),
    );

    expect(rows).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(tail.rowCount).toBe(3);
    expect(tail.members.map(({ name, json }) => [name, JSON.parse(json.toString())])).toEqual([
      ['summary', { since: 'a', until: 'f', ...zone, note: 'é' }],
      ['version', 2],
    ]);
  });

  test('a part that ends early fails the merge, and later parts are not started', async () => {
    const merged = mergeReports(
      reportsOf([documentOf(1, {}), '{"data":[{"n":1}', documentOf(2, {})]),
      { isWeekly: false },
    );

    await expect(readBatches(merged)).rejects.toMatchObject({ exitCode: 9 });
    expect(begun).toBe(2);
  });
});

test('a run of more than 20,000 parts is refused immediately', async () => {
  const line = 'run --local --metrics displays --by DAILY --split day --dry-run -q --period';
  // 20,001 days.
  const tooMany = await runCli(`${line} 1970-01-02..2024-10-05`);
  expectRefusal(tooMany, 2, '--split day would request more than 20,000 reports for this period.');
  const half = '-o {account}-{date}.csv --account buyer,admin --period 1980-01-01..2010-01-01';
  const together = await runCli(line.replace(' --period', ` ${half}`));
  expectRefusal(together, 2, 'This run would request 21,918 reports; the limit is 20,000.');
});
