import { findAnyBreakdown } from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { type SplitUnit, type Window, wallAt } from '../../query/calendar.ts';
import { expectWholeUnits } from '../../query/parts.ts';
import { printable } from '../../text/printable.ts';
import type { DaySpan } from '../rows/collect.ts';

/** Returns the finest unit of time that rows with these breakdowns have, in files of a unit. */
export function finestDateUnit(breakdowns: readonly string[], unit: SplitUnit): SplitUnit {
  if (breakdowns.includes('DAILY') || breakdowns.includes('HOURLY')) return 'day';
  if (breakdowns.includes('WEEKLY')) return 'week';
  if (breakdowns.includes('MONTHLY')) return 'month';
  return unit;
}

const unitOfName: Readonly<Record<string, SplitUnit>> = {
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
};

/** Unit of time in `--by`, with the name as typed. */
interface NamedUnit {
  readonly name: string;
  readonly unit: SplitUnit;
}

function namedUnits(by: readonly string[]): NamedUnit[] {
  const named: NamedUnit[] = [];
  for (const name of by) {
    const unit = unitOfName[findAnyBreakdown(name)?.name ?? (name === 'date' ? 'DAILY' : '')];
    if (unit) named.push({ name, unit });
  }
  return named;
}

/**
 * Throws `UsageError` for a unit of `--by` that is finer than the dates of the rows, or that they
 * cut.
 */
export function expectCoarseEnough(
  by: readonly string[],
  { shown, dates }: { readonly shown: string; readonly dates: SplitUnit | 'unknown' },
): void {
  if (dates === 'unknown' || dates === 'day') return;
  for (const { name, unit } of namedUnits(by)) {
    if (unit === dates) continue;
    const why =
      unit === 'month'
        ? `a ${dates} of ${printable(shown)} can be in two months`
        : `${printable(shown)} has full ${dates}s`;
    throw new UsageError(`--by ${name} needs days, and ${why}.`, {
      about: { flag: '--by' },
      hint: `Use --by ${dates === 'week' ? 'WEEKLY' : 'MONTHLY'}, or leave the time out of --by.`,
    });
  }
}

/** Throws `UsageError` if a window cuts a week or a month of `--by`. */
export function expectWholeGroups(by: readonly string[], window: Window, now: number): void {
  for (const { name, unit } of namedUnits(by)) {
    if (unit !== 'day') {
      expectWholeUnits(window, unit, { now, subject: `--by ${name}`, flag: '--by' });
    }
  }
}

/**
 * Returns a sentence if the rows of unknown files begin or end within a week or month of `--by`,
 * whose sums may then be incomplete; otherwise `undefined`.
 *
 * @param days the first and last day of the rows
 */
export function cutGroupNote(by: readonly string[], days: DaySpan): string | undefined {
  for (const { unit } of namedUnits(by)) {
    if (unit === 'day') continue;
    const first = wallAt(Date.parse(days.since) / 1_000, 'UTC');
    const over = wallAt(Date.parse(days.until) / 1_000 + 86_400, 'UTC');
    const isWhole = first.equals(first.startOf(unit)) && over.equals(over.startOf(unit));
    if (!isWhole) {
      return `The rows are from ${days.since} to ${days.until}: the first or the last ${unit} may be incomplete.`;
    }
  }
  return undefined;
}
