import { dayOf } from '../../contract/values.ts';

// Days in the forms of other programs.

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function isoDay(year: string, month: string | number, day: string): string | undefined {
  const text = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return dayOf(text) === undefined ? undefined : text;
}

/** The only day that a text can mean, as `2026-08-01`; `undefined` for none or two. */
export function plainDay(text: string): string | undefined {
  const value = text.trim();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\d.*)?$/.exec(value);
  const compact = /^(\d{4})(\d\d)(\d\d)$/.exec(value);
  const yearFirst = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/.exec(value);
  const [, year = '', month = '', day = ''] = iso ?? compact ?? yearFirst ?? [];
  if (year !== '') return isoDay(year, month, day);

  const dots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(value);
  if (dots) return isoDay(dots[3] ?? '', dots[2] ?? '', dots[1] ?? '');
  return namedDay(value);
}

/** `Aug 1, 2026`, `1 August 2026`. */
function namedDay(value: string): string | undefined {
  const monthFirst = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/i.exec(value);
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([a-z]{3,9})\.?,?[ -](\d{4})$/i.exec(value);
  const [name = '', day = '', year = ''] = monthFirst
    ? [monthFirst[1], monthFirst[2], monthFirst[3]]
    : [dayFirst?.[2], dayFirst?.[1], dayFirst?.[3]];
  const month = months.findIndex((each) => name.toLowerCase().startsWith(each));
  return month < 0 ? undefined : isoDay(year, month + 1, day);
}

/** The two readings of `8/1/2026` or `8-1-2026`. */
export interface SlashDay {
  readonly dayFirst: string | undefined;
  readonly monthFirst: string | undefined;
}

/** Both readings of a day with slashes; `undefined` for other texts. */
export function slashDay(text: string): SlashDay | undefined {
  const [, first = '', second = '', year = ''] =
    /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})$/.exec(text.trim()) ?? [];
  if (year === '') return undefined;
  return { dayFirst: isoDay(year, second, first), monthFirst: isoDay(year, first, second) };
}
