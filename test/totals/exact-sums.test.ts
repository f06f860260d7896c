import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultMetrics } from '../../src/query/metrics.ts';
import { GroupedTotals } from '../../src/totals/grouped-totals.ts';
import { formatMetric } from '../../src/totals/report-metrics.ts';
import { batchesOf } from '../formats/encode.ts';

/** Checks sums and rates against whole numbers of any length. */

/** A value of a metric: `units` of 10⁻⁶, as a row has it. */
interface Written {
  readonly units: bigint;
  readonly value: number | string | null;
}

const scale = 1_000_000n;

/** Formats units without trailing zeros. */
function digitsOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(7, '0');
  const number = `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${number}` : number;
}

const cents = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 15n }).map((number): Written => {
  const units = number * 10_000n;
  return { units, value: digitsOf(units).replace('.', ',') };
});
const long = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map((units): Written => {
  return { units, value: digitsOf(units) };
});
const whole = fc.integer({ min: 0, max: 2 ** 31 }).map((value): Written => {
  return { units: BigInt(value) * scale, value };
});
const nothing = fc.constantFrom<Written>({ units: 0n, value: null }, { units: 0n, value: '' });

const rows = fc.array(
  fc.record({
    country: fc.constantFrom('FR', 'DE', null),
    displays: fc.oneof({ weight: 3, arbitrary: whole }, nothing),
    clicks: fc.oneof({ weight: 3, arbitrary: whole }, nothing),
    revenueEuro: fc.oneof(cents, long, nothing),
  }),
  { minLength: 1, maxLength: 40 },
);
const metrics = ['displays', 'clicks', 'revenueEuro'] as const;

test('sums of groups are exact, and rates are those of rows that have both metrics', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.nat({ max: 40 }), async (all, cut) => {
      const body = all.map(({ country, ...row }) => ({
        country,
        ...Object.fromEntries(metrics.map((field) => [field, row[field].value])),
      }));
      const sums = new GroupedTotals([{ field: 'country' }]);
      const rest = new GroupedTotals([{ field: 'country' }]);
      for await (const batch of batchesOf(body.slice(0, cut))) sums.observe(batch);
      for await (const batch of batchesOf(body.slice(cut))) rest.observe(batch);
      sums.addAll(rest);

      const [ctr] = defaultMetrics(['displays', 'clicks']).filter(({ computed }) => computed);
      for (const { key, sums: own } of sums) {
        const rowsOfGroup = all.filter(({ country }) => country === key[0]);
        for (const field of metrics) {
          const present = rowsOfGroup.filter((row) => (row[field].value ?? '') !== '');
          let units = 0n;
          for (const row of present) units += row[field].units;
          const sum = present.length > 0 ? digitsOf(units) : undefined;
          expect(own.get(field)?.toString()).toBe(sum);
        }

        let displays = 0n;
        let clicks = 0n;
        for (const row of rowsOfGroup) {
          if (typeof row.displays.value !== 'number' || typeof row.clicks.value !== 'number')
            continue;
          displays += row.displays.units;
          clicks += row.clicks.units;
        }
        const rate = displays > 0n ? (2n * clicks * 10_000n + displays) / (2n * displays) : 0n;
        const shown = ctr && formatMetric(ctr, own)?.replaceAll(',', '');
        expect(shown ?? '–').toBe(
          displays > 0n ? `${rate / 100n}.${String(rate % 100n).padStart(2, '0')}%` : '–',
        );
      }
    }),
  );
});
