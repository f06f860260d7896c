import type { Column } from '../../contract/columns.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { emptyRowsOf } from '../../rows/row-keys.ts';
import { type Check, keyColumns, type MetricNumbers } from './check.ts';

/**
 * The breakdowns whose fields are null in no row but a total. The specification has no null for the ad network, the creative
 * and the platform either, and yet own data may lack them.
 */
const breakdownsNeverNull: readonly (BreakdownName | undefined)[] = [
  'DAILY',
  'HOURLY',
  'MONTHLY',
  'RANGE',
  'CAMPAIGN',
  'ADUNIT',
  'ADVERTISER',
];

/** Rows, with the sums of their metrics in the order of these. */
interface SummedRows {
  count: number;
  firstRow: number;
  readonly sums: Float64Array;
}

/** A report has no more combinations of empty breakdowns than this, unless somebody made it so. */
const combinationsAtMost = 4_096;

/**
 * Finds rows that are totals of others: those without a value in a breakdown that always has one, and where a breakdown may
 * have none, those that come to what the other rows come to (a ROLLUP of SQL has such for each breakdown).
 */
export class TotalCheck implements Check {
  readonly #neverNull: readonly string[];
  readonly #nullable: readonly string[];
  readonly #metricFields: readonly string[];

  /** Of the breakdowns that always have a value, by field: the rows without one. */
  readonly #withoutValue = new Map<string, SummedRows>();

  /** By the breakdowns that they lack, a bit each: the other rows. */
  readonly #rowsByLack = new Map<number, SummedRows>();

  /** All rows but those without a value that they must have. */
  readonly #all: SummedRows;

  constructor(columns: readonly Column[]) {
    const keys = keyColumns(columns);
    const isNeverNull = ({ breakdown }: Column) => breakdownsNeverNull.includes(breakdown);
    const nullable = keys.filter((column) => !isNeverNull(column));
    const metrics = columns.filter(({ metric }) => metric !== undefined);
    // The date of an hour is told by the hour, and a word for a total may stand in either.
    const dates = columns.filter(
      ({ type, breakdown }) => type === 'date' && breakdown === 'HOURLY',
    );
    this.#neverNull = [...dates, ...keys.filter(isNeverNull)].map(({ field }) => field);
    this.#nullable = nullable.map(({ field }) => field);
    this.#metricFields = this.#nullable.length > 0 ? metrics.map(({ field }) => field) : [];
    this.#all = this.#noRows(1);
  }

  observe(batch: RowBatch, numbers: MetricNumbers): void {
    const totals = this.#findWithoutValue(batch);
    if (this.#nullable.length === 0) return;

    this.#addAll(batch.rowCount, numbers);
    for (const row of totals) this.#add(this.#all, row, numbers, -1);

    const lacks = new Map<number, number>();
    for (const [bit, field] of this.#nullable.entries()) {
      for (const row of emptyRowsOf(batch, [field])) {
        lacks.set(row, (lacks.get(row) ?? 0) | (1 << bit));
      }
    }
    for (const [row, lack] of lacks) {
      if (totals.has(row)) continue;
      let rows = this.#rowsByLack.get(lack);
      if (!rows) {
        if (this.#rowsByLack.size === combinationsAtMost) continue;
        rows = this.#noRows(batch.firstRow + row + 1);
        this.#rowsByLack.set(lack, rows);
      }
      this.#add(rows, row, numbers, 1);
    }
  }

  findings({ rowCount }: ReportTail): string[] {
    if (rowCount < 2) return [];

    const findings: string[] = [];
    for (const [field, { count, firstRow }] of this.#withoutValue) {
      findings.push(totalsText(count, firstRow, [field]));
    }
    for (const [lack, rows] of this.#rowsByLack) {
      const fields = this.#nullable.filter((_, bit) => (lack & (1 << bit)) !== 0);
      if (this.#areTotals(lack, rows)) findings.push(totalsText(rows.count, rows.firstRow, fields));
    }
    return findings;
  }

  #noRows(firstRow: number): SummedRows {
    return { count: 0, firstRow, sums: new Float64Array(this.#metricFields.length) };
  }

  /** The rows of a batch that lack a value which every row has. */
  #findWithoutValue(batch: RowBatch): ReadonlySet<number> {
    const found = new Set<number>();
    for (const field of this.#neverNull) {
      for (const row of emptyRowsOf(batch, [field])) {
        found.add(row);
        const rows = this.#withoutValue.get(field) ?? this.#noRows(batch.firstRow + row + 1);
        rows.count += 1;
        this.#withoutValue.set(field, rows);
      }
    }
    return found;
  }

  #addAll(rowCount: number, numbers: MetricNumbers): void {
    this.#all.count += rowCount;
    for (const [index, field] of this.#metricFields.entries()) {
      const values = numbers.get(field) ?? [];
      let sum = 0;
      for (const value of values) {
        if (!Number.isNaN(value)) sum += value;
      }
      this.#all.sums[index] = (this.#all.sums[index] ?? 0) + sum;
    }
  }

  #add(rows: SummedRows, row: number, numbers: MetricNumbers, sign: 1 | -1): void {
    rows.count += sign;
    for (const [index, field] of this.#metricFields.entries()) {
      const value = numbers.get(field)?.[row] ?? Number.NaN;
      if (!Number.isNaN(value)) rows.sums[index] = (rows.sums[index] ?? 0) + sign * value;
    }
  }

  /** Whether rows come to the same as all others, or as those that lack nothing. */
  #areTotals(lack: number, rows: SummedRows): boolean {
    const others = this.#difference(this.#all, rows);
    if (others.count >= rows.count && haveEqualSums(rows, others)) return true;

    let details = this.#all;
    for (const lacking of this.#rowsByLack.values()) details = this.#difference(details, lacking);
    return lack !== 0 && details.count >= rows.count && haveEqualSums(rows, details);
  }

  #difference(rows: SummedRows, less: SummedRows): SummedRows {
    const sums = rows.sums.map((sum, index) => sum - (less.sums[index] ?? 0));
    return { count: rows.count - less.count, firstRow: rows.firstRow, sums };
  }
}

function haveEqualSums(one: SummedRows, other: SummedRows): boolean {
  let isAnyPositive = false;
  for (const [index, sum] of one.sums.entries()) {
    const otherSum = other.sums[index] ?? 0;
    const difference = Math.abs(sum - otherSum);
    // Sums of doubles differ in their last digits.
    const allowed = Math.max(1e-6 * Math.abs(sum), 1e-9);
    if (difference > allowed) return false;
    if (sum > 0) isAnyPositive = true;
  }
  return isAnyPositive;
}

function totalsText(count: number, firstRow: number, fields: readonly string[]): string {
  const lack = `no ${fields.join(', no ')}`;
  if (count === 1) return `Row ${firstRow} looks like a total: it has ${lack}.`;
  return `${count} rows look like totals, the first is row ${firstRow}: they have ${lack}.`;
}
