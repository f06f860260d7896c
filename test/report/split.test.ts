import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SplitUnit, splitUnits, splitWindow } from '../../src/report/parts/parts.ts';
import { formatInstant, type Window } from '../../src/report/window/window.ts';
import { resolveWindow } from '../../src/report/window/window-flags.ts';

function starts(window: Window, unit: SplitUnit): string[] {
  return splitWindow(window, unit).map(({ since }) => formatInstant(since, window.zone));
}

function windowOf(period: string, zone = 'Europe/Paris'): Window {
  return resolveWindow({ period, zone, nowMs: 0 });
}

describe('splitWindow', () => {
  test('by day, through a clock change', () => {
    expect(starts(windowOf('2026-10-24..2026-10-26'), 'day')).toEqual([
      '2026-10-24T00:00:00+0200',
      '2026-10-25T00:00:00+0200',
      '2026-10-26T00:00:00+0100',
    ]);
  });

  test('by week and month, the first part cut where the window begins', () => {
    expect(starts(windowOf('2026-10-28..2026-11-10'), 'week')).toEqual([
      '2026-10-28T00:00:00+0100',
      '2026-11-02T00:00:00+0100',
      '2026-11-09T00:00:00+0100',
    ]);
    expect(starts(windowOf('2026-01-31..2026-03-01'), 'month')).toEqual([
      '2026-01-31T00:00:00+0100',
      '2026-02-01T00:00:00+0100',
      '2026-03-01T00:00:00+0100',
    ]);
  });

  test('a day that the calendar skipped has no part', () => {
    expect(starts(windowOf('2011-12-29..2011-12-31', 'Pacific/Apia'), 'day')).toEqual([
      '2011-12-29T00:00:00-1000',
      '2011-12-31T00:00:00+1400',
    ]);
  });

  test('the parts are the days, weeks or months of the calendar, and tile the window exactly', () => {
    const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const anyInstant = fc.integer({ min: 946_684_800, max: 2_208_988_799 });
    const anyLength = fc.integer({ min: 0, max: 90 * 86_400 });
    fc.assert(
      fc.property(anyZone, anyInstant, anyLength, fc.constantFrom(...splitUnits), (zone, since, length, unit) => {
        const window = { since, until: since + length, zone, notes: [] };
        const parts = splitWindow(window, unit);
        expect(parts[0]?.since).toBe(since);
        expect(parts.at(-1)?.until).toBe(window.until);
        for (const [index, part] of parts.entries()) {
          expect(part.since).toBeLessThanOrEqual(part.until);
          if (index > 0) expect(part.since).toBe((parts[index - 1]?.until ?? 0) + 1);
        }
        const units = parts.map((part) => unitOf(formatInstant(part.since, zone), unit));
        expect(new Set(units).size).toBe(units.length);
        expect(parts.map((part) => unitOf(formatInstant(part.until, zone), unit))).toEqual(units);
      }),
      { numRuns: 200 },
    );
  });

  test('ten years of days, three of them with a leap day', () => {
    expect(splitWindow(windowOf('2020..2029'), 'day')).toHaveLength(3_653);
  });
});

/** What calendar unit a local time is in, by its text: the day, the Monday of its week, or the month. */
function unitOf(local: string, unit: SplitUnit): string {
  const day = local.slice(0, 10);
  if (unit === 'month') return day.slice(0, 7);
  if (unit === 'day') return day;
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
