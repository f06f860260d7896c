import { findAnyBreakdown } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import { formatDate, type SplitUnit, unitContaining, type Window } from '../../query/calendar.ts';
import { requireWholeUnits } from '../../query/parts.ts';

/** A calendar unit of `--by`, with its name as typed. */
interface NamedUnit {
  readonly name: string;
  readonly unit: SplitUnit;
}

const unitsByName: Readonly<Record<string, SplitUnit>> = {
  HOURLY: 'day',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
};

function findNamedUnits(by: readonly string[]): NamedUnit[] {
  const named: NamedUnit[] = [];
  for (const name of by) {
    const breakdown = name === 'date' ? 'DAILY' : (findAnyBreakdown(name)?.name ?? '');
    const unit = unitsByName[breakdown];
    if (unit) named.push({ name, unit });
  }
  return named;
}

/** Rows without a date get the date of their file. */
export function findUnitOfRows({ breakdowns, split }: FolderQuery): SplitUnit {
  const units = findNamedUnits(breakdowns).map(({ unit }) => unit);
  return units.includes('day') ? 'day' : (units[0] ?? split);
}

/** Throws `UsageError` if `--by` needs days, but the rows of a folder are weeks or months. */
export function requireGroupable(
  by: readonly string[],
  query: FolderQuery,
  displayPath: string,
): void {
  const unitOfRows = findUnitOfRows(query);
  if (unitOfRows === 'day') return;
  for (const { name, unit } of findNamedUnits(by)) {
    if (unit === unitOfRows) continue;
    throw new UsageError(
      `--by ${name} needs days, but the rows of ${displayPath} are whole ${unitOfRows}s.`,
      {
        about: { flag: '--by' },
        hint: `Use --by ${unitOfRows === 'week' ? 'WEEKLY' : 'MONTHLY'}, or leave the time out of --by.`,
      },
    );
  }
}

/**
 * Throws `UsageError` if a period splits a week or month of `--by`. The current week or month may
 * be incomplete, because today has no file yet.
 *
 * @param now in unix seconds
 */
export function requireWholeGroups(by: readonly string[], window: Window, now: number): void {
  const today = unitContaining(formatDate(now, window.zone), 'day', window.zone);
  for (const { name, unit } of findNamedUnits(by)) {
    if (unit === 'day') continue;
    requireWholeUnits(window, unit, {
      now: (today?.since ?? now) - 1,
      subject: `--by ${name}`,
      flag: '--by',
    });
  }
}
