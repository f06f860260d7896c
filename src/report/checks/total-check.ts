import type { Column } from '../../contract/columns.ts';
import { type BreakdownName, breakdowns } from '../../contract/vocabulary.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { emptyRowsOf, isCalledTotal } from '../../rows/row-keys.ts';
import { type Check, keyColumns, type MetricNumbers } from './check.ts';
import {
  type EmptyRows,
  haveEqualSums,
  isSeldomChance,
  SubtotalFinder,
  type Subtotals,
} from './subtotals.ts';

/** The breakdowns that a row may lack. */
const nullableBreakdowns: ReadonlySet<BreakdownName> = new Set(
  breakdowns.filter(({ nullable }) => nullable).map(({ name }) => name),
);

/** Rows, with the sums of their metrics in the order of these. */
interface SummedRows {
  count: number;
  firstRow: number;
  readonly sums: Float64Array;
}

/** A report has no more combinations of empty breakdowns than this, unless somebody made it so. */
const combinationsAtMost = 4_096;

/** For so many of them single rows are compared with the others. */
const searchesAtMost = 16;

/**
 * Finds rows that are totals of others: those without a value in a breakdown that always has one, those that are called a
 * total, and where a breakdown may have no value, those that hold the sum of others (a ROLLUP of SQL has such for each
 * breakdown): all that lack the same breakdowns together, or one by one among the first rows.
 */
export class TotalCheck implements Check {
  readonly #keyFields: readonly string[];
  readonly #neverNull: readonly string[];
  readonly #nullable: readonly string[];
  readonly #metricFields: readonly string[];

  /** By field: the rows without a value that every row has, or with a word for “total”. */
  readonly #withoutValue = new Map<string, SummedRows>();

  /** By the breakdowns that they lack, a bit each: the other rows. */
  readonly #rowsByLack = new Map<number, SummedRows>();

  readonly #subtotals: SubtotalFinder;

  /** All rows but those without a value that they must have. */
  readonly #all: SummedRows;

  /** The row that has most of the first metric. */
  #largest: SummedRows | undefined;

  constructor(columns: readonly Column[]) {
    const keys = keyColumns(columns);
    const isNullable = ({ breakdown }: Column) =>
      breakdown !== undefined && nullableBreakdowns.has(breakdown);
    const nullable = keys.filter(isNullable);
    const metrics = columns.filter(({ metric }) => metric !== undefined);
    // The date of an hour is told by the hour, and a word for a total may stand in either.
    const dates = columns.filter(
      ({ type, breakdown }) => type === 'date' && breakdown === 'HOURLY',
    );
    const neverNull = keys.filter((column) => !isNullable(column));
    this.#neverNull = [...dates, ...neverNull].map(({ field }) => field);
    this.#nullable = nullable.map(({ field }) => field);
    this.#keyFields = [...this.#neverNull, ...this.#nullable];
    this.#metricFields = metrics.map(({ field }) => field);
    this.#all = this.#noRows(1);
    this.#subtotals = new SubtotalFinder(keys, this.#nullable, this.#metricFields);
  }

  observe(batch: RowBatch, numbers: MetricNumbers): void {
    const emptyRows = new Map<string, readonly number[]>();
    for (const field of this.#keyFields) emptyRows.set(field, emptyRowsOf(batch, [field]));

    const totals = this.#findWithoutValue(batch, emptyRows);
    this.#addAll(batch.rowCount, numbers);
    for (const row of totals) this.#add(this.#all, row, numbers, -1);
    this.#findLargest(batch, numbers, totals);
    if (this.#nullable.length === 0) return;

    this.#subtotals.observe(batch, numbers, emptyRows);

    const lacks = new Map<number, number>();
    for (const [bit, field] of this.#nullable.entries()) {
      for (const row of emptyRows.get(field) ?? []) {
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

  findings(): string[] {
    const findings: string[] = [];
    for (const [field, { count, firstRow }] of this.#withoutValue) {
      findings.push(totalsText(count, firstRow, [field]));
    }
    let searches = 0;
    for (const [lack, rows] of this.#rowsByLack) {
      let totals: Subtotals | undefined = rows;
      if (!this.#areTotals(lack, rows)) {
        searches += 1;
        totals = searches <= searchesAtMost ? this.#subtotals.find(lack) : undefined;
      }
      if (!totals) continue;

      const fields = this.#nullable.filter((_, bit) => (lack & (1 << bit)) !== 0);
      findings.push(totalsText(totals.count, totals.firstRow, fields));
    }
    if (findings.length === 0) findings.push(...this.#grandTotalFindings());
    return findings;
  }

  /** Notes the row of a batch that has most of the first metric, if none before has as much. */
  #findLargest(batch: RowBatch, numbers: MetricNumbers, totals: ReadonlySet<number>): void {
    const [field = ''] = this.#metricFields;
    const values = numbers.get(field) ?? [];
    let most = this.#largest?.sums[0] ?? 0;
    let largestRow: number | undefined;
    for (let row = 0; row < values.length; row++) {
      const value = values[row] as number;
      if (!(value > most) || totals.has(row)) continue;
      most = value;
      largestRow = row;
    }
    if (largestRow === undefined) return;
    this.#largest = this.#noRows(batch.firstRow + largestRow + 1);
    this.#add(this.#largest, largestRow, numbers, 1);
  }

  /** A row that holds the sum of all others is a total whatever it is called, if its sums are too large for chance. */
  #grandTotalFindings(): string[] {
    const largest = this.#largest;
    if (!largest || this.#all.count < 3 || this.#keyFields.length === 0) return [];

    const others = this.#difference(this.#all, largest);
    const isTotal = haveEqualSums(largest.sums, others.sums);
    if (!isTotal || !isSeldomChance(largest.sums, 1)) return [];
    return [`Row ${largest.firstRow} looks like a total: it holds the sum of all others.`];
  }

  #noRows(firstRow: number): SummedRows {
    return { count: 0, firstRow, sums: new Float64Array(this.#metricFields.length) };
  }

  /** The rows of a batch that lack a value which every row has, or are called a total. */
  #findWithoutValue(batch: RowBatch, emptyRows: EmptyRows): ReadonlySet<number> {
    const totals = new Set<number>();
    const note = (field: string, row: number): void => {
      totals.add(row);
      const rows = this.#withoutValue.get(field) ?? this.#noRows(batch.firstRow + row + 1);
      rows.count += 1;
      this.#withoutValue.set(field, rows);
    };

    for (const field of this.#neverNull) {
      for (const row of emptyRows.get(field) ?? []) note(field, row);
    }
    for (const field of this.#nullable) {
      for (const row of emptyRows.get(field) ?? []) {
        if (isCalledTotal(batch, field, row)) note(field, row);
      }
    }
    return totals;
  }

  #addAll(rowCount: number, numbers: MetricNumbers): void {
    this.#all.count += rowCount;
    for (const [index, field] of this.#metricFields.entries()) {
      const { sum } = numbers.factsOf(field);
      this.#all.sums[index] = (this.#all.sums[index] ?? 0) + sum;
    }
  }

  #add(rows: SummedRows, row: number, numbers: MetricNumbers, sign: 1 | -1): void {
    rows.count += sign;
    for (const [index, field] of this.#metricFields.entries()) {
      const value = numbers.get(field)[row] ?? Number.NaN;
      if (!Number.isNaN(value)) rows.sums[index] = (rows.sums[index] ?? 0) + sign * value;
    }
  }

  /** Whether rows come to the same as all others, or as those that lack nothing. */
  #areTotals(lack: number, rows: SummedRows): boolean {
    const others = this.#difference(this.#all, rows);
    if (others.count >= rows.count && haveEqualSums(rows.sums, others.sums)) return true;

    let details = this.#all;
    for (const lacking of this.#rowsByLack.values()) details = this.#difference(details, lacking);
    return lack !== 0 && details.count >= rows.count && haveEqualSums(rows.sums, details.sums);
  }

  #difference(rows: SummedRows, less: SummedRows): SummedRows {
    const sums = rows.sums.map((sum, index) => sum - (less.sums[index] ?? 0));
    return { count: rows.count - less.count, firstRow: rows.firstRow, sums };
  }
}

function totalsText(count: number, firstRow: number, fields: readonly string[]): string {
  const lack = `no ${fields.join(', no ')}`;
  if (count === 1) return `Row ${firstRow} looks like a total: it has ${lack}.`;
  return `${count} rows look like totals, the first is row ${firstRow}: they have ${lack}.`;
}
