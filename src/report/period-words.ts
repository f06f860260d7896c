import { dayOf } from '../contract/values.ts';
import { meaningOf, wordsFor } from '../contract/words.ts';

/** Today's date, relative to which `october` and `Q3` are resolved. */
export interface CalendarDay {
  readonly year: number;

  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly quarter: number;

  /** The ISO week and its year. */
  readonly weekYear: number;
  readonly week: number;
}

/** A period in its standard form: `2026-10`, `last-7d`, `2026-10-01..2026-10-15`. */
export interface PlainPeriod {
  readonly text: string;

  /** True if other words were typed, not just another case or other separators. */
  readonly isWord: boolean;
}

const units = ['week', 'month', 'quarter', 'year'];

/** Named periods: `today`, `last-month`. */
export const periodNames = [
  'today',
  'yesterday',
  ...units.flatMap((unit) => [`this-${unit}`, `last-${unit}`]),
];

const monthNumbers = Array.from({ length: 12 }, (_, index) => String(index + 1));

/** Words to suggest for a misspelt period. Short ones are close to anything. */
export const periodWords = [
  ...periodNames,
  ...[
    ...wordsFor('period', periodNames).filter(isUnique),
    ...wordsFor('month', monthNumbers),
  ].filter((word) => word.length > 4),
];

/** True for a word with a single meaning, unlike `month`. */
function isUnique(word: string): boolean {
  return readNamed(word).length === 1;
}

/** A possible meaning of one end of a range; with `order` if day and month could be swapped. */
interface Reading extends PlainPeriod {
  readonly order?: 'day first' | 'month first';
}

/** The possible meanings of a period: several for `01/10/2026`, none for an unknown text. */
export function readPeriod(text: string, today: CalendarDay): PlainPeriod[] {
  // Before ranges, because `year to date` is not one.
  const named = readNamed(text);
  if (named.length > 0) return named;

  const parts = splitRange(text);
  if (!parts) return readWhole(text, today);

  const [firsts, lasts] = [readDay(parts.first, today), readDay(parts.last, today)];
  const ranges: PlainPeriod[] = [];
  for (const first of firsts) {
    for (const last of lasts) {
      // Both ends of a range have the same order of day and month.
      if (first.order && last.order && first.order !== last.order) continue;
      const isWord = first.isWord || last.isWord || parts.isWord;
      ranges.push({ text: `${first.text}..${last.text}`, isWord });
    }
  }
  return distinct(ranges);
}

function readWhole(text: string, today: CalendarDay): PlainPeriod[] {
  const counted = readCount(text, today);
  return counted.length > 0 ? counted : readDay(text, today);
}

function readNamed(text: string): PlainPeriod[] {
  const { names = [], isWord = false } = meaningOf('period', text, periodNames) ?? {};
  return names.map((name) => ({ text: name, isWord }));
}
/** The possible meanings of a day, week, month, quarter or year, like `readPeriod`. */
export function readDay(text: string, today: CalendarDay): Reading[] {
  const named = readNamed(text);
  if (named.length > 0) return named;

  const tokens = tokensOf(text);
  if (!tokens) return [];
  const readers = [readUnit, readMonth, readDigits];
  for (const read of readers) {
    const readings = read(tokens, today);
    if (readings.length > 0) return distinct(readings);
  }
  return [];
}

interface RangeParts {
  readonly first: string;
  readonly last: string;

  /** True if a word separates them: `1 oct to 15 oct`. */
  readonly isWord: boolean;
}

function splitRange(text: string): RangeParts | undefined {
  const match =
    /^\s*(?:from\s+)?(.+?)(?:\s*(\.{2,3}|–|—)\s*|\s+(-|to|until|till|through)\s+)(.+)$/i.exec(text);
  const [, first, , word, last] = match ?? [];
  if (first === undefined || last === undefined) return undefined;
  return { first, last, isWord: word !== undefined && word !== '-' };
}

/** `two` is 2. */
const numberWords = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** `last 7 days`, `30d`, `past two weeks`, `24 hours`, `last 3 months` */
function readCount(text: string, today: CalendarDay): PlainPeriod[] {
  const match =
    /^\s*(?:(?:the[\s_-]+)?(?:last|past|previous)[\s_-]*)?([1-9]\d{0,5}|[a-z]+)[\s_-]*(d|days?|w|weeks?|wks?|h|hours?|hrs?|months?|quarters?|years?)\s*$/i.exec(
      text,
    );
  const [, number = '', unit = ''] = match ?? [];
  const word = numberWords.indexOf(number.toLowerCase());
  const count = word > 0 ? word : Number(number);
  if (!match || !(count > 0)) return [];

  const longUnit = /^(month|quarter|year)/i.exec(unit)?.[1]?.toLowerCase();
  if (longUnit !== undefined) return readLongCount(count, longUnit as LongUnit, today);
  const plain = `last-${count}${unit.charAt(0).toLowerCase()}`;
  return [{ text: plain, isWord: !hasSameLetters(plain, text) }];
}

type LongUnit = 'month' | 'quarter' | 'year';

/**
 * The last whole months, quarters or years. Months and years may also mean as many days, which end
 * yesterday.
 */
function readLongCount(count: number, unit: LongUnit, today: CalendarDay): PlainPeriod[] {
  const perYear = { month: 12, quarter: 4, year: 1 }[unit];
  const current =
    today.year * perYear + { month: today.month, quarter: today.quarter, year: 1 }[unit];
  const textOf = (index: number) => {
    const year = Math.floor((index - 1) / perYear);
    const number = index - year * perYear;
    if (unit === 'year') return String(year);
    return unit === 'quarter' ? `${year}-Q${number}` : monthText(year, number);
  };
  const first = textOf(current - count);
  const whole = count === 1 ? first : `${first}..${textOf(current - 1)}`;
  if (unit === 'quarter') return [{ text: whole, isWord: true }];

  const months = count * (12 / perYear);
  const days = months % 12 === 0 ? (months / 12) * 365 : months * 30;
  return [
    { text: whole, isWord: true },
    { text: `last-${days}d`, isWord: true },
  ];
}

/** True if two texts differ only in case, blanks, `-` and `_`. */
function hasSameLetters(plain: string, text: string): boolean {
  const bare = (each: string) => each.toLowerCase().replaceAll(/[\s_-]/g, '');
  return bare(plain) === bare(text);
}

/** A number or word in a date. */
interface Token {
  readonly text: string;
  readonly kind: 'year' | 'number' | 'month' | 'quarter' | 'week' | 'eight digits';
  readonly value: number;

  /** The separator after it: `/`, `-`, `.`, or a blank. */
  readonly mark: string;

  /** True for `1st`. */
  readonly isOrdinal: boolean;
}

/** The tokens of a date; `undefined` if the text contains anything else. */
function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const pattern = /(\d+)(st|nd|rd|th)?|[a-z]+/giy;
  let at = /^\s*/.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match || tokens.length > 3) return undefined;

    const [whole, digits, ordinal] = match;
    at = pattern.lastIndex;
    const separator = /^\s*([/.,_-]?)\s*/.exec(text.slice(at));
    at += separator?.[0].length ?? 0;
    const mark = separator?.[1] || ' ';
    const kindAndValue = digits === undefined ? readWord(whole) : readNumber(digits);
    if (!kindAndValue) return undefined;
    tokens.push({ text: whole, ...kindAndValue, mark, isOrdinal: ordinal !== undefined });
  }
  return tokens;
}

type KindAndValue = Pick<Token, 'kind' | 'value'>;

function readNumber(digits: string): KindAndValue | undefined {
  const value = Number(digits);
  if (digits.length <= 2) return { kind: 'number', value };
  if (digits.length === 4) return { kind: 'year', value };
  return digits.length === 8 ? { kind: 'eight digits', value } : undefined;
}

function readWord(word: string): KindAndValue | undefined {
  const lower = word.toLowerCase();
  if (lower === 'q' || lower === 'quarter') return { kind: 'quarter', value: 0 };
  if (lower === 'w' || lower === 'week') return { kind: 'week', value: 0 };
  const [month] = meaningOf('month', lower, monthNumbers)?.names ?? [];
  return month === undefined ? undefined : { kind: 'month', value: Number(month) };
}

/** The kinds of the tokens in order: `quarter number year`. */
function kindsOf(tokens: readonly Token[]): string {
  return tokens.map(({ kind }) => kind).join(' ');
}

function valueOfKind(tokens: readonly Token[], kind: Token['kind']): number | undefined {
  return tokens.find((token) => token.kind === kind)?.value;
}

/** `Q3 2026`, `2026-Q3`, `Q3`, `week 45`, `W45 2026` */
function readUnit(tokens: readonly Token[], today: CalendarDay): Reading[] {
  const isUnit = /^(year )?(quarter|week) number( year)?$/.test(kindsOf(tokens));
  const years = tokens.filter(({ kind }) => kind === 'year');
  if (!isUnit || years.length > 1) return [];

  const number = valueOfKind(tokens, 'number') ?? 0;
  const year = years[0]?.value;
  const isWord = year === undefined || tokens.some(({ text }) => /^(quarter|week)$/i.test(text));
  if (valueOfKind(tokens, 'quarter') !== undefined) {
    const latestYear = number <= today.quarter ? today.year : today.year - 1;
    return [{ text: `${year ?? latestYear}-Q${number}`, isWord }];
  }
  const latestYear = number <= today.week ? today.weekYear : today.weekYear - 1;
  return [{ text: `${year ?? latestYear}-W${twoDigits(number)}`, isWord }];
}

/** `october`, `oct 2026`, `2026 oct`, `1 oct`, `oct 1, 2026` */
function readMonth(tokens: readonly Token[], today: CalendarDay): Reading[] {
  const month = valueOfKind(tokens, 'month');
  const isDate =
    /^(month( year)?|year month|(year )?(number month|month number)|(number month|month number) year)$/.test(
      kindsOf(tokens),
    );
  if (month === undefined || !isDate) return [];

  const isWord = true;
  const year = valueOfKind(tokens, 'year');
  const dayToken = tokens.find(({ kind }) => kind === 'number');
  if (!dayToken) {
    const latestYear = month <= today.month ? today.year : today.year - 1;
    return [{ text: monthText(year ?? latestYear, month), isWord }];
  }

  const day = dayToken.value;
  const hasBegun = month < today.month || (month === today.month && day <= today.day);
  const latestYear = hasBegun ? today.year : today.year - 1;
  const readings: Reading[] = [{ text: dayText(year ?? latestYear, month, day), isWord }];

  // `oct 26` may be a day or October 2026.
  const isShortYear = year === undefined && tokens[1] === dayToken && !dayToken.isOrdinal;
  if (isShortYear && day >= 20 && day <= (today.year % 100) + 1) {
    readings.push({ text: monthText(2_000 + day, month), isWord });
  }
  return readings;
}

/** `2026`, `2026/10`, `10/2026`, `2026-10-1`, `20261001`, `31/10/2026` */
function readDigits(tokens: readonly Token[]): Reading[] {
  const [a, b, c] = tokens;
  const isWord = false;
  if (!a) return [];
  switch (kindsOf(tokens)) {
    case 'year':
      return [{ text: a.text, isWord }];
    case 'eight digits': {
      const [year, month, day] = [a.text.slice(0, 4), a.text.slice(4, 6), a.text.slice(6)];
      return existing([{ text: `${year}-${month}-${day}`, isWord }]);
    }
    case 'year number':
      return [{ text: monthText(a.value, b?.value), isWord }];
    case 'number year':
      return [{ text: monthText(b?.value, a.value), isWord }];
    case 'year number number':
      return [{ text: dayText(a.value, b?.value, c?.value), isWord }];
    case 'number number year': {
      const dayFirst = dayText(c?.value, b?.value, a.value);
      const readings: Reading[] = [{ text: dayFirst, isWord, order: 'day first' }];
      // With dots, the day always comes first.
      if (a.mark !== '.') {
        const monthFirst = dayText(c?.value, a.value, b?.value);
        readings.push({ text: monthFirst, isWord, order: 'month first' });
      }
      return existing(readings);
    }
    default:
      return [];
  }
}

/** The readings whose day exists. */
function existing(readings: readonly Reading[]): Reading[] {
  return readings.filter(({ text }) => dayOf(text) !== undefined);
}

function monthText(year = 0, month = 0): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}`;
}

function dayText(year = 0, month = 0, day = 0): string {
  return `${monthText(year, month)}-${twoDigits(day)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function distinct<Period extends PlainPeriod>(periods: readonly Period[]): Period[] {
  return periods.filter(({ text }, at) => periods.findIndex((each) => each.text === text) === at);
}
