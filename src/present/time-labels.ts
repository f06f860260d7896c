import type { DateUnit } from '../totals/group-keys.ts';
import { axisDay, axisMonth, dayOfYear } from '../totals/time-axis.ts';

/** A day, or an hour with its offset, in a cell. */
const dayPattern = /^\d{4}-\d\d-\d\d$/;
const hourPattern = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d)([+-]\d{4})$/;

/** A day or an hour. */
interface CellTime {
  readonly day: string;

  /** `02:00`; absent for a day. */
  readonly clock?: string | undefined;

  readonly offset?: string | undefined;
}

/**
 * Returns display texts for the days and hours of a column: `Thu 1 Oct`, `October 2026`, `Sun 25
 * Oct, 02:00`. Days include the year if the column spans several, and an hour that occurs twice
 * includes its offset. Cells that are not times are omitted.
 */
export function formatTimes(cells: readonly unknown[], dateUnit: DateUnit): Map<string, string> {
  const times = new Map<string, CellTime>();
  const years = new Set<string>();
  for (const cell of cells) {
    const time = typeof cell === 'string' && !times.has(cell) ? readTime(cell) : undefined;
    if (!time) continue;
    times.set(String(cell), time);
    years.add(time.day.slice(0, 4));
  }

  const formatDay = years.size > 1 ? axisDay : dayOfYear;
  const doubled = doubledHours([...times.values()]);
  const texts = new Map<string, string>();
  for (const [cell, { day, clock, offset }] of times) {
    const date = new Date(`${day}T00:00:00Z`);
    if (clock === undefined) {
      texts.set(cell, dateUnit === 'month' ? axisMonth(date) : formatDay(date));
      continue;
    }

    const zone = doubled.has(`${day} ${clock}`) ? ` (${offset})` : '';
    texts.set(cell, `${formatDay(date)}, ${clock}${zone}`);
  }
  return texts;
}

function readTime(cell: string): CellTime | undefined {
  const [, day = cell, clock, offset] = hourPattern.exec(cell) ?? [];
  const isDay = dayPattern.test(day) && !Number.isNaN(Date.parse(day));
  return isDay ? { day, clock, offset } : undefined;
}

/** Returns hours that occur with two offsets, when summer time ends. */
function doubledHours(times: readonly CellTime[]): Set<string> {
  const offsets = new Map<string, string | undefined>();
  const doubled = new Set<string>();
  for (const { day, clock, offset } of times) {
    const hour = `${day} ${clock}`;
    if (offsets.has(hour) && offsets.get(hour) !== offset) doubled.add(hour);
    offsets.set(hour, offset);
  }
  return doubled;
}
