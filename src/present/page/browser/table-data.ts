import { type Change, changeBetween, type Fraction } from '../../../figures/change.ts';
import { Decimal } from '../../../text/decimal.ts';
import {
  type Cell,
  type CellType,
  cellText,
  type EmbeddedColumn,
  type EmbeddedFormula,
  type EmbeddedTable,
  emptyText,
} from '../embedded-table.ts';

/** Stored or computed. */
export type CellValue = Cell | Change;

export class TableData {
  readonly rowCount: number;

  /** Visible columns. */
  readonly columns: readonly TableColumnData[];

  /** Indexed as in formulas. */
  readonly #all: readonly TableColumnData[];

  constructor({ rowCount, columns }: EmbeddedTable) {
    this.rowCount = rowCount;
    this.#all = columns.map((column) => new TableColumnData(column));
    this.columns = this.#all.filter(({ look }) => look !== undefined);

    // Changes are computed from rates, too.
    for (const kind of ['ratio', 'change']) {
      for (const { formula, values } of this.#all) {
        if (formula?.kind !== kind) continue;
        for (let row = 0; row < rowCount; row++) {
          values[row] = this.#computed(formula, (other) => other.numberIn(row));
        }
      }
    }
  }

  /** Returns a sum, or a rate or change computed from sums; `null` if there is none. */
  sumOver(column: TableColumnData, rows: readonly number[]): CellValue {
    if (column.formula)
      return this.#computed(column.formula, (other) => this.#numberOver(other, rows));
    if (column.type === 'percent') return null;

    const sum = column.sumOver(rows);
    return Number.isNaN(sum) ? null : sum;
  }

  /** Returns a sum or a rate; `NaN` if there is none. */
  #numberOver(column: TableColumnData, rows: readonly number[]): number {
    if (!column.formula) return column.sumOver(rows);
    return numberOf(this.sumOver(column, rows));
  }

  #computed(formula: EmbeddedFormula, numberOf: (column: TableColumnData) => number): CellValue {
    const numberAt = (index: number): number => {
      const column = this.#all[index];
      return column ? numberOf(column) : Number.NaN;
    };
    if (formula.kind === 'ratio') {
      return ratioOf(numberAt(formula.numerator), numberAt(formula.denominator), formula.factor);
    }

    const change = changeBetween(
      fractionOf(numberAt(formula.now)),
      fractionOf(numberAt(formula.before)),
    );
    // A month longer than the earlier one has days without a counterpart, which are not new.
    const isUnknown =
      change.direction === 'none' || (formula.isOfTime && change.direction === 'new');
    return isUnknown ? null : { ...change, isNeutral: formula.isNeutral };
  }
}

function ratioOf(numerator: number, denominator: number, factor: number): number | null {
  if (Number.isNaN(numerator) || !denominator) return null;
  return Number(((factor * numerator) / denominator).toFixed(6));
}

function fractionOf(number: number): Fraction | undefined {
  const numerator = Decimal.parse(String(number));
  return numerator && { numerator, denominator: new Decimal(1n, 0) };
}

export class TableColumnData {
  readonly type: CellType;

  /** CSS classes of its cells. */
  readonly look: string | undefined;

  readonly formula: EmbeddedFormula | undefined;

  readonly values: CellValue[];

  readonly #texts: Readonly<Record<string, string>>;

  #sortKeys: readonly number[] | undefined;

  #plainTexts: readonly string[] | undefined;

  constructor({ type, look, formula, cells = [], texts = {} }: EmbeddedColumn) {
    this.type = type;
    this.look = look;
    this.formula = formula;
    this.values = [...cells];
    this.#texts = texts;
  }

  get isNumeric(): boolean {
    return !['text', 'name', 'key'].includes(this.type);
  }

  /** Returns `NaN` for a row without a number. */
  numberIn(row: number): number {
    return numberOf(this.values[row] ?? null);
  }

  /** Adds up the rows with a number; `NaN` if there are none. */
  sumOver(rows: readonly number[]): number {
    // Sums in integers stay exact where sums of decimals do not.
    const isMoney = this.type === 'money';
    let sum = Number.NaN;
    for (const row of rows) {
      const number = this.numberIn(row);
      if (Number.isNaN(number)) continue;
      sum = (Number.isNaN(sum) ? 0 : sum) + (isMoney ? number * 1e6 : number);
    }
    return isMoney ? Math.round(sum / 1e4) / 100 : sum;
  }

  textOf(value: CellValue): string {
    if (value === null) return emptyText(this.type);
    if (isChange(value)) return value.text;
    const text = Object.hasOwn(this.#texts, value) ? this.#texts[value] : undefined;
    return text ?? cellText(this.type, value);
  }

  /** Returns the full text of a shortened value. */
  titleOf(value: CellValue): string | undefined {
    const isName = this.type === 'name' || this.type === 'text';
    return isName && typeof value === 'string' && this.#texts[value] !== undefined
      ? value
      : undefined;
  }

  /** Numbers, or the alphabetical position of texts; `NaN` for no value. */
  sortKeys(): readonly number[] {
    this.#sortKeys ??= this.isNumeric
      ? this.values.map((value) => numberOf(value))
      : sortPositions(this.values.filter((value) => value !== null).map(String), this.values);
    return this.#sortKeys;
  }

  /** Lower case without accents, for filtering. */
  plainTexts(): readonly string[] {
    this.#plainTexts ??= this.values.map((value) =>
      plainText(this.titleOf(value) ?? this.textOf(value)),
    );
    return this.#plainTexts;
  }
}

/** Returns lower case without accents. */
export function plainText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

export function isChange(value: CellValue): value is Change {
  return typeof value === 'object' && value !== null;
}

function numberOf(value: CellValue): number {
  if (value === null || value === '') return Number.NaN;
  return isChange(value) ? (value.ratio ?? Number.NaN) : Number(value);
}

function sortPositions(texts: readonly string[], values: readonly CellValue[]): number[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const sorted = [...new Set(texts)].sort(collator.compare);
  const places = new Map(sorted.map((text, place) => [text, place]));
  return values.map((value) => (value === null ? Number.NaN : (places.get(String(value)) ?? -1)));
}
