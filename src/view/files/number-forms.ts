import { currencyOf, fieldTypeOf } from '../../contract/columns.ts';
import { isNoValue } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/printable.ts';

// Numbers in the forms of other programs: with marks between thousands, decimal commas, currency
// signs. The texts of a column prove its form; ambiguous columns are refused.

const marks = ['.', ','] as const;
type Mark = (typeof marks)[number];

/** A number as it is written, with its row, counted from 1. */
interface Example {
  readonly text: string;
  readonly row: number;
}

/** Groups of three digits with one kind of blank or apostrophe between them, and decimals. */
const spacedForm = /^[-+]?\d{1,3}(?:([ '’\u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/u;

const unit = '([€$£¥%]|EUR|USD|GBP|CHF)';
const dressing = new RegExp(
  String.raw`^\s*([-+−]?)\s*${unit}?\s*([-+−]?)\s*(.*?)\s*${unit}?\s*$`,
  'isu',
);
const signsOfCodes = new Map([
  ['EUR', '€'],
  ['USD', '$'],
  ['GBP', '£'],
]);

/** A number without the units and blanks around it. */
interface BareNumber {
  readonly text: string;

  /** Currencies and percent signs; `€` for `EUR`. */
  readonly units: readonly string[];
}

function bareNumber(value: string): BareNumber {
  const [, sign = '', before = '', innerSign = '', body = '', after = ''] =
    dressing.exec(value) ?? [];
  const units = [before, after].filter((each) => each !== '').map((each) => each.toUpperCase());
  return {
    text: `${sign}${innerSign}${body}`.replace('−', '-'),
    units: units.map((each) => signsOfCodes.get(each) ?? each),
  };
}

/** Collects evidence on the marks in the numbers of a column. */
export class NumberColumn {
  readonly field: string;
  readonly isInteger: boolean;

  /** The first text with a decimal mark, by the mark. */
  readonly decimals = new Map<Mark, string>();

  /** The same without `0.000`, next to which `1.000` is a number with decimals. */
  readonly otherDecimals = new Map<Mark, string>();

  /** The marks between thousands in some text of the column. */
  readonly groups = new Set<Mark>();

  /** By mark, the first ambiguous text: one mark before exactly three digits. */
  readonly open = new Map<Mark, string>();

  /** The first text with a currency or a percent sign, by the sign. */
  readonly units = new Map<string, Example>();

  /** True if a text has more than digits and a decimal mark. */
  isFormatted = false;

  /** The first text to mention in a note. */
  example: string | undefined;

  constructor(field: string) {
    this.field = field;
    this.isInteger = fieldTypeOf(field) === 'integer';
  }

  /** @param row counted from 1 */
  observe(value: string, row: number): void {
    if (/^-?\d+(?:[.,]\d\d?)?$/.test(value)) {
      for (const mark of marks) if (value.includes(mark)) this.#addDecimal(mark, value);
      return;
    }
    if (isNoValue(value) || value.trim() === '--') return;

    const { text, units } = bareNumber(value);
    for (const unit of units) {
      if (!this.units.has(unit)) this.units.set(unit, { text: value, row });
    }
    if (text !== value.trim()) this.#format(value);
    const mark = markIn(text);
    if (spacedForm.test(text)) {
      this.#format(value);
      if (mark) this.#addDecimal(mark, value);
      return;
    }
    this.#observeMarks(text, value);
  }

  #observeMarks(text: string, value: string): void {
    const both = /^[-+]?\d{1,3}(?:([.,])\d{3})+(?!\1)([.,])\d*$/.exec(text);
    if (both) {
      this.groups.add(both[1] as Mark);
      this.#addDecimal(both[2] as Mark, value);
      this.#format(value);
      return;
    }
    const groups = /^[-+]?\d{1,3}([.,])\d{3}(?:\1\d{3})+$/.exec(text);
    if (groups) {
      this.groups.add(groups[1] as Mark);
      this.#format(value);
      return;
    }
    const single = /^[-+]?(\d*)([.,])(\d*)$/.exec(text);
    if (!single) return;

    const before = single[1] ?? '';
    const mark = single[2] as Mark;
    const decimalCount = single[3]?.length ?? 0;
    const isOpen = decimalCount === 3 && /^[1-9]\d{0,2}$/.test(before);
    if (isOpen) {
      if (!this.open.has(mark)) this.open.set(mark, value);
      return;
    }
    this.#addDecimal(mark, value);
    // Rows take at most two digits after a comma for decimals.
    if (mark === ',' && decimalCount > 2) this.#format(value);
  }

  #addDecimal(mark: Mark, value: string): void {
    if (!this.decimals.has(mark)) this.decimals.set(mark, value);
    const isLikeGroup = value.endsWith(`${mark}000`);
    if (!isLikeGroup && !this.otherDecimals.has(mark)) this.otherDecimals.set(mark, value);
  }

  #format(value: string): void {
    this.isFormatted = true;
    this.example ??= value;
  }
}

function markIn(text: string): Mark | undefined {
  return /([.,])\d*$/.exec(text)?.[1] as Mark | undefined;
}

/** The way to read the numbers of a column. */
export interface NumberReading {
  /** The marks between thousands. */
  readonly groups: ReadonlySet<Mark>;
}

/** Columns with how each is read, and what is worth a message. */
export interface NumberReadings {
  /** By field; absent for columns of plain numbers. */
  readonly readings: ReadonlyMap<string, NumberReading>;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Decides how each column is read, from what it proves, what other columns prove, and its type.
 *
 * @param isExcelDialect true for a file with a byte order mark and semicolons, as `--excel` writes
 * @throws UsageError for a number with two readings, and for a column with two currencies
 */
export function decideNumbers(
  columns: readonly NumberColumn[],
  isExcelDialect: boolean,
): NumberReadings {
  const readings = new Map<string, NumberReading>();
  const warnings: string[] = [];
  const texts: string[] = [];
  const shared = provenIn(columns, isExcelDialect);
  for (const column of columns) {
    const { field } = column;
    const warning = unitWarning(column);
    if (warning !== undefined) warnings.push(warning);
    const reading = readingOf(column, shared);
    if (reading) readings.set(field, reading);
    for (const example of examplesOf(column, reading)) {
      const number = plainNumber(example, reading ?? { groups: new Set() });
      texts.push(`${field} ${quoted(example)} as ${number ?? '?'}`);
    }
  }
  const notes = texts.length > 0 ? [`Numbers were read like this: ${texts.join(', ')}.`] : [];
  return { readings, warnings, notes };
}

/** The texts of a column whose reading is worth a note. */
function examplesOf(
  { decimals, open, isFormatted, example }: NumberColumn,
  reading: NumberReading | undefined,
): string[] {
  const examples = decimals.size > 1 ? [...decimals.values()] : [];
  const first = example ?? [...open.values()][0];
  const hasGroups = isFormatted || [...open.keys()].some((mark) => reading?.groups.has(mark));
  if (first !== undefined && hasGroups) examples.unshift(first);
  return [...new Set(examples)];
}

/**
 * A sentence on amounts in another unit than the name of their column; `undefined` if there are
 * none. Throws `UsageError` for amounts in several units.
 */
function unitWarning({ field, units }: NumberColumn): string | undefined {
  const [one, other] = units;
  if (!one) return undefined;
  const [unit, { text, row }] = one;
  if (other) {
    const [, { text: otherText, row: otherRow }] = other;
    throw new UsageError(
      `${field} has ${quoted(text)} in row ${row} and ${quoted(otherText)} in row ${otherRow}, which cannot be added up.`,
      { hint: 'Write the column in one currency.' },
    );
  }
  const expected = currencyOf(field);
  if (unit === expected) return undefined;
  const kind = { '': 'a count', $: 'in dollars', '€': 'in euros' }[expected];
  return `${field} is ${kind}, but row ${row} has ${quoted(text)}.`;
}

/** The marks that are proven to be decimal, or between thousands, anywhere in a file. */
function provenIn(
  columns: readonly NumberColumn[],
  isExcelDialect: boolean,
): NumberReading & {
  readonly decimals: ReadonlySet<Mark>;
} {
  const decimals = new Set(columns.flatMap((column) => [...column.decimals.keys()]));
  const groups = new Set(columns.flatMap((column) => [...column.groups]));
  if (isExcelDialect && decimals.size === 0) decimals.add(',');
  return { decimals, groups };
}

function readingOf(
  column: NumberColumn,
  shared: ReturnType<typeof provenIn>,
): NumberReading | undefined {
  const { decimals, otherDecimals, groups, open, isFormatted, isInteger, field } = column;
  if (open.size === 0) return isFormatted ? { groups } : undefined;

  const ownGroups = new Set(groups);
  for (const [mark, example] of open) {
    const other = mark === '.' ? ',' : '.';
    const isGroup = groups.has(mark) || decimals.has(other);
    const decimal = (isGroup ? decimals : otherDecimals).get(mark);
    const isContradicted = decimal !== undefined && (isGroup || isInteger);
    if (isContradicted) throw twoReadings(field, example, decimal);
    if (decimals.has(mark)) continue;
    if (isGroup || isInteger || isGroupElsewhere(mark, other, shared)) ownGroups.add(mark);
    else if (mark === ',' && !shared.decimals.has(',')) throw twoReadings(field, example);
  }
  return { groups: ownGroups };
}

function isGroupElsewhere(mark: Mark, other: Mark, shared: ReturnType<typeof provenIn>): boolean {
  if (shared.decimals.has(mark)) return false;
  return shared.groups.has(mark) || shared.decimals.has(other);
}

/** @param decimal a number of the same column in which the mark is decimal */
function twoReadings(field: string, example: string, decimal?: string): UsageError {
  const { text } = bareNumber(example);
  const thousands = text.replace(/[.,]/, '');
  const fraction = String(Number(text.replace(',', '.')));
  const why =
    decimal === undefined ? 'nothing in the file decides' : `${quoted(decimal)} has decimals`;
  return new UsageError(
    `${field} ${quoted(example)} can be ${thousands} or ${fraction}, and ${why}.`,
    { hint: 'Write the numbers with decimal points and without marks between thousands.' },
  );
}

/**
 * The digits of a text with a decimal point: `1.234,56` is `1234.56`. `undefined` for a text that
 * is not a number in this reading.
 */
export function plainNumber(value: string, { groups }: NumberReading): string | undefined {
  const { text } = bareNumber(value);
  const together = spacedForm.test(text) ? text.replaceAll(/[ '’\u00a0\u202f]/gu, '') : text;
  let digits = together;
  for (const mark of groups) {
    const isLast = /([.,])\d*$/.exec(digits)?.[1] === mark;
    const isGrouped = isLast
      ? new RegExp(`^[-+]?\\d{1,3}(?:\\${mark}\\d{3})+$`).test(digits)
      : digits.includes(mark);
    if (isGrouped) digits = digits.replaceAll(mark, '');
  }
  digits = digits.replace(/^\+/, '').replace(',', '.');
  return /^-?\d*\.?\d+$|^-?\d+\.$/.test(digits) ? digits : undefined;
}
