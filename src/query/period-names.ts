import { dayOf } from '../contract/values.ts';
import { nearest } from '../text/nearest.ts';

/** For example `today` and `last-month`. */
export const periodNames = [
  'today',
  'yesterday',
  ...['week', 'month', 'quarter', 'year'].flatMap((unit) => [`this-${unit}`, `last-${unit}`]),
];

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** Month is from 1. */
interface CurrentMonth {
  readonly year: number;
  readonly month: number;
}

const otherForms: readonly {
  readonly pattern: RegExp;
  readonly write: (parts: readonly string[], today: CurrentMonth) => string | undefined;
}[] = [
  {
    pattern: /^([wmqy])td$/,
    write: ([unit = '']) => periodNames.find((name) => name.startsWith(`this-${unit}`)),
  },
  {
    pattern: /^(?:last|past|previous)?-*([1-9]\d{0,4})-?(d|h|w)(?:ays?|ours?|eeks?)?$/,
    write: ([count, unit]) => `last-${count}${unit}`,
  },
  {
    pattern: /^([a-z]{3})[a-z]*-?(\d{4})?$/,
    write: ([name = '', typedYear], today) => {
      const month = monthNames.indexOf(name) + 1;
      const year = month <= today.month ? today.year : today.year - 1;
      return dateOf(typedYear ?? year, month);
    },
  },
  {
    pattern: /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/,
    write: ([first, second, year = '']) => {
      const dayFirst = dateOf(year, second, first);
      const monthFirst = dateOf(year, first, second);
      if (!dayFirst || !monthFirst || dayFirst === monthFirst) return dayFirst ?? monthFirst;
      return `${dayFirst} or ${monthFirst}`;
    },
  },
  {
    pattern: /^(\d{4})[./-]?(\d{1,2})(?:[./-]?(\d{1,2}))?$/,
    write: ([year = '', month, day]) => dateOf(year, month, day),
  },
];

/**
 * Returns the accepted form of a period that is written differently; `undefined` if it is not
 * known.
 */
export function suggestPeriod(text: string, today: CurrentMonth): string | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  for (const { pattern, write } of otherForms) {
    const [whole, ...parts] = pattern.exec(plain) ?? [];
    const form = whole === undefined ? undefined : write(parts, today);
    if (form !== undefined) return form;
  }
  return nearest(plain, ['last-7d', 'last-24h', ...periodNames]);
}

/** Returns a month or a day, such as `2026-10`; `undefined` if there is none. */
function dateOf(...numbers: readonly (string | number | undefined)[]): string | undefined {
  const given = numbers.filter((number) => number !== undefined);
  const text = given.map((number) => String(number).padStart(2, '0')).join('-');
  return dayOf(`${text}-01`.slice(0, 10)) === undefined ? undefined : text;
}
