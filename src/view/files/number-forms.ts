import { isNoValue } from '../../contract/values.ts';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/printable.ts';

// Numbers as other programs write them: with marks between thousands, decimal commas, currency
// signs. What a column's texts prove decides; what has two readings is refused.

type Mark = '.' | ',';

/** What is known of a text that holds a number. */
interface NumberText {
  /** Without currency, percent sign and blanks around it. */
  readonly text: string;

  /** True if something was taken away. */
  readonly isDressed: boolean;
}

/** Groups of three digits with one kind of blank or apostrophe between them, and decimals. */
const spacedForm = /^[-+]?\d{1,3}(?:([ '’\u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$/u;

const currency = '(?:[€$£¥]|EUR|USD|GBP|CHF)';
const dressing = new RegExp(
  String.raw`^\s*([-+−]?)\s*${currency}?\s*([-+−]?)\s*(.*?)\s*(?:${currency}|%)?\s*$`,
  'isu',
);

function undressed(value: string): NumberText {
  const [, sign = '', innerSign = '', body = ''] = dressing.exec(value) ?? [];
  const text = `${sign}${innerSign}${body}`.replace('−', '-');
  return { text, isDressed: text !== value.trim() };
}

/** What the texts of one column prove. */
export class NumberColumn {
  readonly field: string;
  readonly isInteger: boolean;

  /** The marks that are decimal, and those between thousands, in some text of the column. */
  readonly decimals = new Set<Mark>();
  readonly groups = new Set<Mark>();

  /** The first text with one mark before exactly three digits, by the mark. */
  readonly open = new Map<Mark, string>();

  /** True if a text needs more than its digits and decimal mark read. */
  isFormatted = false;

  /** The first text whose reading is worth a note. */
  example: string | undefined;

  constructor(field: string, isInteger: boolean) {
    this.field = field;
    this.isInteger = isInteger;
  }

  observe(value: string): void {
    if (/^-?\d+$/.test(value) || isNoValue(value) || value.trim() === '--') return;
    const { text, isDressed } = undressed(value);
    const mark = markIn(text);
    if (isDressed) this.#format(value);
    if (spacedForm.test(text)) {
      this.#format(value);
      if (mark) this.decimals.add(mark);
      return;
    }
    this.#observeMarks(text, value);
  }

  #observeMarks(text: string, value: string): void {
    const both = /^[-+]?\d{1,3}(?:([.,])\d{3})+(?!\1)([.,])\d*$/.exec(text);
    if (both) {
      this.groups.add(both[1] as Mark);
      this.decimals.add(both[2] as Mark);
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

    const [, before = '', mark, after = ''] = single;
    const isOpen = after.length === 3 && /^[1-9]\d{0,2}$/.test(before);
    if (!isOpen) this.decimals.add(mark as Mark);
    else if (!this.open.has(mark as Mark)) this.open.set(mark as Mark, value);
  }

  #format(value: string): void {
    this.isFormatted = true;
    this.example ??= value;
  }
}

function markIn(text: string): Mark | undefined {
  return /([.,])\d*$/.exec(text)?.[1] as Mark | undefined;
}

/** How the numbers of a column are read. */
export interface NumberReading {
  /** The marks between thousands. */
  readonly groups: ReadonlySet<Mark>;
}

/** Columns with how each is read, and what is worth a note. */
export interface NumberReadings {
  /** By field; a column of plain numbers has none. */
  readonly readings: ReadonlyMap<string, NumberReading>;
  readonly notes: readonly string[];
}

/**
 * Decides how each column is read, from what it proves, what other columns prove, and its type.
 *
 * @param isExcelDialect true for a file with a byte order mark and semicolons, as `--excel` writes
 * @throws UsageError for a comma before exactly three digits in a column of money, if nothing
 * proves what it is
 */
export function decideNumbers(
  columns: readonly NumberColumn[],
  isExcelDialect: boolean,
): NumberReadings {
  const readings = new Map<string, NumberReading>();
  const texts: string[] = [];
  const shared = provenIn(columns, isExcelDialect);
  for (const column of columns) {
    const reading = readingOf(column, shared);
    if (!reading) continue;

    readings.set(column.field, reading);
    const example = column.example ?? [...column.open.values()][0];
    const hasGroups =
      column.isFormatted || [...column.open.keys()].some((mark) => reading.groups.has(mark));
    if (example !== undefined && hasGroups) {
      texts.push(`${column.field} ${quoted(example)} as ${plainNumber(example, reading) ?? '?'}`);
    }
  }
  return {
    readings,
    notes: texts.length > 0 ? [`Numbers were read like this: ${texts.join(', ')}.`] : [],
  };
}

/** The marks that are proven to be decimal, or between thousands, anywhere in a file. */
function provenIn(
  columns: readonly NumberColumn[],
  isExcelDialect: boolean,
): NumberReading & {
  readonly decimals: ReadonlySet<Mark>;
} {
  const decimals = new Set(columns.flatMap((column) => [...column.decimals]));
  const groups = new Set(columns.flatMap((column) => [...column.groups]));
  if (isExcelDialect && decimals.size === 0) decimals.add(',');
  return { decimals, groups };
}

function readingOf(
  column: NumberColumn,
  shared: ReturnType<typeof provenIn>,
): NumberReading | undefined {
  const { decimals, groups, open, isFormatted, isInteger, field } = column;
  if (open.size === 0) return isFormatted ? { groups } : undefined;

  const ownGroups = new Set(groups);
  for (const [mark, example] of open) {
    if (decimals.has(mark) || groups.has(mark)) continue;
    const other = mark === '.' ? ',' : '.';
    const isGroup = decimals.has(other) || isInteger || isGroupElsewhere(mark, other, shared);
    if (isGroup) ownGroups.add(mark);
    else if (mark === ',' && !shared.decimals.has(',')) throw twoReadings(field, example);
  }
  return { groups: ownGroups };
}

function isGroupElsewhere(mark: Mark, other: Mark, shared: ReturnType<typeof provenIn>): boolean {
  if (shared.decimals.has(mark)) return false;
  return shared.groups.has(mark) || shared.decimals.has(other);
}

function twoReadings(field: string, example: string): UsageError {
  const thousands = example.replace(',', '');
  const decimal = example.replace(',', '.');
  return new UsageError(
    `${field} ${quoted(example)} can be ${thousands} or ${decimal}, and nothing in the file decides.`,
    { hint: 'Write the file again with decimal points, or with two decimals.' },
  );
}

/**
 * The digits of a text with a decimal point: `1.234,56` is `1234.56`. `undefined` for a text that
 * is not a number in this reading.
 */
export function plainNumber(value: string, { groups }: NumberReading): string | undefined {
  const { text } = undressed(value);
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
