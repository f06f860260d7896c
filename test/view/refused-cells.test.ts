import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';

// A cell that may have two readings is refused if the question uses its column, and otherwise
// changes nothing.

const columns = ['date', 'campaignId', 'campaignName', 'displays', 'clicks', 'revenueEuro'];
const plainCells: Readonly<Record<string, string>> = {
  date: '2026-08-01',
  campaignId: '7',
  campaignName: 'Ski',
  displays: '300',
  clicks: '3',
  revenueEuro: '1.25',
};

/** A cell of a column, and a question that uses it. */
interface RefusedCell {
  readonly column: string;
  readonly cell: string;
  readonly flags: string;
}

const digits = fc.integer({ min: 1, max: 999 });
const number = fc.oneof(
  fc.tuple(digits, fc.integer({ min: 100, max: 999 })).map(([a, b]) => `${a},${b}.56`),
  fc.tuple(digits, fc.integer({ min: 100, max: 999 })).map(([a, b]) => `${a}.${b}.000`),
  digits.map((n) => `${n} %`),
  digits.map((n) => `(${n}.50)`),
  digits.map((n) => `€${n}`),
  digits.map((n) => `${n} 000`),
  digits.map((n) => `0x${n}`),
  fc.constantFrom('Total', 'n. a.', '#REF!', '1-2'),
);
const day = fc.integer({ min: 10, max: 28 });
const time = fc.oneof(
  day.map((n) => `${n}.08.2026`),
  day.map((n) => `8/${n}/2026`),
  day.map((n) => `202608${n}`),
  day.map((n) => `Aug ${n}, 2026`),
  day.map((n) => `2026-08-${n}T22:00:00.000Z`),
  day.map((n) => `${46_200 + n}`),
  day.map((n) => `2026-02-${n + 20}`),
  fc.constantFrom('Total', 'yesterday', '2026-13-01'),
);
const refusedCells: fc.Arbitrary<RefusedCell> = fc.oneof(
  number.map((cell) => ({ column: 'displays', cell, flags: '--by CAMPAIGN' })),
  day.map((n) => ({ column: 'displays', cell: `${n}.012`, flags: '--metrics displays' })),
  number.map((cell) => ({ column: 'revenueEuro', cell, flags: '--metrics revenue' })),
  time.map((cell) => ({ column: 'date', cell, flags: '--by DAILY' })),
  time.map((cell) => ({ column: 'date', cell, flags: '--period 2026-08' })),
);

/** A file of plain rows, one of which has another cell. */
function csv(rowCount: number, other?: { row: number; column: string; cell: string }): string {
  const lines = [columns.join(',')];
  for (let row = 0; row < rowCount; row++) {
    const cells = columns.map((column) => {
      const isOther = other?.row === row && other.column === column;
      return isOther ? `"${other.cell}"` : plainCells[column];
    });
    lines.push(cells.join(','));
  }
  return `${lines.join('\n')}\n`;
}

test('random cells of the refused kinds', async () => {
  const cwd = temporaryFolder();
  const view = (content: string, flags: string) => {
    writeFileSync(join(cwd, 'r.csv'), content);
    return runCli(`view r.csv ${flags}`, { cwd });
  };
  const plain: Awaited<ReturnType<typeof view>>[] = [];
  const places = fc.record({ row: fc.nat(4), rowsBehind: fc.integer({ min: 3, max: 6 }) });

  const property = fc.asyncProperty(refusedCells, places, async (refused, { row, rowsBehind }) => {
    const { column, cell, flags } = refused;
    const rowCount = row + rowsBehind;
    const content = csv(rowCount, { row, column, cell });
    const place = `r.csv, line ${row + 2}: ${column} “${cell}”`;
    expectRefusal(await view(content, flags), 2, place);

    const unused = '--by CAMPAIGN --metrics clicks';
    plain[rowCount] ??= await view(csv(rowCount), unused);
    const { exitCode, stdout, stderr } = plain[rowCount];
    expect(await view(content, unused)).toMatchObject({ exitCode, stdout, stderr });
  });
  await fc.assert(property, { numRuns: 30, endOnFailure: true });
});
