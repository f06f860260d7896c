import {
  type Cell,
  type CellType,
  cellText,
  type EmbeddedColumn,
  type EmbeddedRate,
  type EmbeddedTable,
  emptyText,
} from '../embedded-table.ts';

export class TableData {
  readonly rowCount: number;

  /** Visible columns. */
  readonly columns: readonly TableColumnData[];

  /** Indexed as in rates. */
  readonly #all: readonly TableColumnData[];

  constructor({ rowCount, columns }: EmbeddedTable) {
    this.rowCount = rowCount;
    this.#all = columns.map((column) => new TableColumnData(column));
    this.columns = this.#all.filter(({ look }) => look !== undefined);

    for (const { rate, values } of this.#all) {
      if (!rate) continue;
      for (let row = 0; row < rowCount; row++) {
        values[row] = this.#computed(rate, (other) => other.numberIn(row));
      }
    }
  }

  /** Returns a sum, or a rate computed from sums; `null` if there is none. */
  sumOver(column: TableColumnData, rows: readonly number[]): Cell {
    if (column.rate) return this.#computed(column.rate, (other) => other.sumOver(rows));
    if (column.type === 'percent' || column.type === 'change') return null;

    const sum = column.sumOver(rows);
    return Number.isNaN(sum) ? null : sum;
  }

  #computed(
    { numerator, denominator, factor }: EmbeddedRate,
    numberOf: (column: TableColumnData) => number,
  ): number | null {
    const [over, under] = [this.#all[numerator], this.#all[denominator]];
    const rate = over && under ? (factor * numberOf(over)) / numberOf(under) : Number.NaN;
    return Number.isFinite(rate) ? Number(rate.toFixed(6)) : null;
  }
}

export class TableColumnData {
  readonly type: CellType;

  /** CSS classes of its cells. */
  readonly look: string | undefined;

  readonly rate: EmbeddedRate | undefined;

  readonly values: Cell[];

  readonly #texts: Readonly<Record<string, string>>;

  #sortKeys: readonly number[] | undefined;

  #plainTexts: readonly string[] | undefined;

  constructor({ type, look, rate, cells = [], texts = {} }: EmbeddedColumn) {
    this.type = type;
    this.look = look;
    this.rate = rate;
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

  textOf(value: Cell): string {
    if (value === null) return emptyText(this.type);
    const text = Object.hasOwn(this.#texts, value) ? this.#texts[value] : undefined;
    return text ?? cellText(this.type, value);
  }

  /** Returns the full text of a shortened value. */
  titleOf(value: Cell): string | undefined {
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

/** Reads a number or a change: `▼ 3.0%` is -3. */
function numberOf(value: Cell): number {
  if (value === null || value === '') return Number.NaN;
  const change = /^([▲▼=]) ([\d.]+)%$/.exec(String(value));
  if (!change) return Number(value);
  return change[1] === '▼' ? -Number(change[2]) : Number(change[2]);
}

function sortPositions(texts: readonly string[], values: readonly Cell[]): number[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const sorted = [...new Set(texts)].sort(collator.compare);
  const places = new Map(sorted.map((text, place) => [text, place]));
  return values.map((value) => (value === null ? Number.NaN : (places.get(String(value)) ?? -1)));
}
