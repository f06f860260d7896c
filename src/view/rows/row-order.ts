import { fieldTypeOf } from '../../contract/columns.ts';
import { UsageError } from '../../errors.ts';
import { everyFigureOf, figureValue, sumsOfRow, unknownFigure } from '../../figures/figures.ts';
import { compareTimes, isTime, keyText } from '../../figures/grouping.ts';
import { numberIn } from '../../figures/numbers.ts';
import { readFileColumns } from '../../report/typed-columns.ts';
import type { Row } from '../../rows/row-batch.ts';

/** Compares two rows. */
export type RowOrder = (one: Row, other: Row) => number;

/**
 * The order of `--sort` for rows with these columns: numbers from the largest, others from the
 * first; rows without a value come last. Throws `UsageError` for an unknown column.
 */
export function parseRowOrder(sort: string, fields: readonly string[]): RowOrder {
  const { name, direction } = parseSort(sort);
  const figures = everyFigureOf(fields);
  const names = [...new Set([...fields, ...figures.map(({ field }) => field)])];
  const [field] = readFileColumns({ flag: '--sort', text: name, fields: names })?.columns ?? [];
  if (field === undefined) throw unknownFigure(name, names, '--sort: the report');

  const figure = figures.find((each) => each.field === field);
  if (figure) {
    const sign = direction === 'asc' ? 1 : -1;
    return byValue(
      (row) => figureValue(figure, sumsOfRow(row)),
      (a, b) => sign * (a - b),
    );
  }
  const sign = direction === 'desc' ? -1 : 1;
  const readValue = (row: Row): string | undefined => keyText(row[field]) ?? undefined;
  if (isTime(field)) return byValue(readValue, (a, b) => sign * compareTimes(a, b));
  if (fieldTypeOf(field) === undefined) return byUnknown(field, direction);
  const texts = new Intl.Collator('en', { numeric: true });
  return byValue(readValue, (a, b) => sign * texts.compare(a, b));
}

/** `--sort` as typed. */
export interface TypedSort {
  readonly name: string;
  readonly direction: 'asc' | 'desc' | undefined;
}

/** Splits `ctr:asc`. Throws `UsageError` for another word after the colon. */
export function parseSort(sort: string): TypedSort {
  const colon = sort.lastIndexOf(':');
  if (colon < 0) return { name: sort.trim(), direction: undefined };

  const word = sort
    .slice(colon + 1)
    .trim()
    .toLowerCase();
  if (word === 'asc' || word === 'desc') {
    return { name: sort.slice(0, colon).trim(), direction: word };
  }
  throw new UsageError(`--sort ${sort}: only asc or desc can follow the colon.`, {
    hint: 'For example: --sort ctr:asc',
  });
}

/** Orders rows by a column of unknown type: as numbers if both are, else as texts. */
function byUnknown(field: string, direction: TypedSort['direction']): RowOrder {
  const sign = direction === 'asc' ? 1 : -1;
  const texts = new Intl.Collator('en', { numeric: true });
  return byValue(
    (row) => row[field] ?? undefined,
    (a, b) => {
      const [one, other] = [numberIn(a), numberIn(b)].map(Number);
      const difference = (one ?? 0) - (other ?? 0);
      return sign * (difference || texts.compare(String(a), String(b)));
    },
  );
}

function byValue<T>(
  readValue: (row: Row) => T | undefined,
  compare: (one: T, other: T) => number,
): RowOrder {
  return (a, b) => {
    const one = readValue(a);
    const other = readValue(b);
    if (one !== undefined && other !== undefined) return compare(one, other);
    return Number(one === undefined) - Number(other === undefined);
  };
}
