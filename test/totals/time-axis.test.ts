import { describe, expect, test } from 'vitest';
import type { DateUnit } from '../../src/totals/group-keys.ts';
import { GroupedTotals } from '../../src/totals/grouped-totals.ts';
import { alignEarlier, layOutTime, type TimeAxis } from '../../src/totals/time-axis.ts';
import { windows } from './compared-windows.ts';

/** Groups of a report with one row per time. */
function groupsAt(times: readonly string[]): GroupedTotals {
  const field = times[0]?.includes('T') ? 'hour' : 'date';
  const groups = new GroupedTotals([{ field }]);
  for (const time of times) groups.add([time], { get: () => 1 });
  return groups;
}

function axisOf(times: readonly string[], dateUnit: DateUnit = 'day'): TimeAxis {
  const axis = layOutTime(groupsAt(times), dateUnit);
  if (!axis) throw new Error('No axis.');
  return axis;
}

/** Consecutive days as texts. */
function daysFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    return new Date(Date.parse(first) + i * 86_400_000).toISOString().slice(0, 10);
  });
}

const months = Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}-01`);
const ticksOf = ({ ticks }: TimeAxis) => ticks.map(({ text }) => text);

/** Hours of the day on which clocks go back. */
const hours = Array.from({ length: 25 }, (_, i) => {
  const hour = i < 3 ? i : i - 1;
  return `2026-10-25T${String(hour).padStart(2, '0')}:00:00${i < 3 ? '+0200' : '+0100'}`;
});

describe('the ticks of an axis', () => {
  test.each([
    [
      'a week',
      axisOf(daysFrom('2026-11-02', 7)),
      ['2 Nov', '3 Nov', '4 Nov', '5 Nov', '6 Nov', '7 Nov', '8 Nov'],
    ],
    ['a month', axisOf(daysFrom('2026-10-01', 31)), ['5 Oct', '12 Oct', '19 Oct', '26 Oct']],
    [
      'a year of days',
      axisOf(daysFrom('2025-11-01', 365)),
      ['Nov', '2026', 'Mar', 'May', 'Jul', 'Sep'],
    ],
    ['a year of months', axisOf(months, 'month'), ['2025', 'Mar', 'May', 'Jul', 'Sep', 'Nov']],
    ['weeks', axisOf(['2026-11-02', '2026-11-16'], 'week'), ['2 Nov', '9 Nov', '16 Nov']],
    ['one day', axisOf(['2026-11-03']), ['3 Nov']],
    ['one month', axisOf(['2026-11-01'], 'month'), ['Nov']],
  ])('of %s', (_name, axis, texts) => {
    expect(ticksOf(axis)).toEqual(texts);
  });

  test('are below the step that they name', () => {
    for (const { index, text } of axisOf(daysFrom('2026-10-01', 31)).ticks)
      expect(axisOf(daysFrom('2026-10-01', 31)).labels[index]).toContain(`${text} 2026`);
  });

  test('of hours label each hour once, even when clocks go back', () => {
    const { ticks, labels } = axisOf(hours);

    expect(labels).toHaveLength(25);
    expect(ticks).toEqual([
      { index: 0, text: '25 Oct' },
      { index: 7, text: '06:00' },
      { index: 13, text: '12:00' },
      { index: 19, text: '18:00' },
    ]);
  });

  test('are three to seven in any window', () => {
    for (const count of [60, 90, 180, 365, 366, 730]) {
      const { ticks } = axisOf(daysFrom('2024-01-01', count));
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }
  });
});

describe('an earlier report', () => {
  const october = axisOf(daysFrom('2026-10-03', 29));
  test('is in the slots with the same distance from the beginning of its window', () => {
    const { slots, labels } = alignEarlier(
      october,
      groupsAt(['2026-09-03', '2026-09-30']),
      windows,
    );

    expect(labels.slice(0, 2)).toEqual(['Thu 3 Sep 2026', 'Fri 4 Sep 2026']);
    const filled = [...slots.entries()].filter(([, groups]) => groups.length > 0);
    expect(filled.map(([i, groups]) => `${october.labels[i]}: ${groups[0]?.key[0]}`)).toEqual([
      'Sat 3 Oct 2026: 2026-09-03',
      'Fri 30 Oct 2026: 2026-09-30',
    ]);
  });

  test('has its hours at the same wall times, even when clocks go back', () => {
    const earlier = ['02', '03', '23'].map((hour) => `2026-09-25T${hour}:00:00+0200`);
    const { slots } = alignEarlier(axisOf(hours), groupsAt(earlier), windows);
    expect([2, 4, 24].map((i) => slots[i]?.[0]?.key[0])).toEqual(earlier);
  });
});
