import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOfWallTime, localTime, timeLabels } from '../../src/server/calendar.ts';
import { localTime as referenceTime } from './reference-report.ts';
import { seconds } from './reports.ts';

const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
// Before 1973 some zones had offsets with seconds, which neither side can write.
const instant = fc.integer({ min: seconds('1973-01-01T00:00:00Z'), max: seconds('2037-12-01T00:00:00Z') });

test('a day that a zone never had is no day', () => {
  const labelOf = timeLabels('DAILY', 'Pacific/Apia', 0);
  const hours = Array.from({ length: 48 }, (_, index) => seconds('2011-12-29T12:00:00Z') / 3600 + index);
  expect([...new Set(hours.map((hour) => labelOf(hour)[0]))]).toEqual(['2011-12-29', '2011-12-31', '2012-01-01']);
});

test('any hour and any instant of any zone agrees with Intl', () => {
  fc.assert(
    fc.property(zone, instant, (name, time) => {
      const hour = Math.floor(time / 3600);
      const local = referenceTime(hour * 3600, name);
      expect(localTime(time, name)).toBe(referenceTime(time, name));
      expect(timeLabels('DAILY', name, 0)(hour)).toEqual([local.slice(0, 10)]);
      expect(timeLabels('MONTHLY', name, 0)(hour)).toEqual([`${local.slice(0, 7)}-01`]);
      const start = `${local.slice(0, 13)}:00:00${local.slice(19)}`;
      expect(timeLabels('HOURLY', name, 0)(hour)).toEqual([local.slice(0, 10), start]);
    }),
    { numRuns: 300 },
  );
});

test('the digits of a wall time are the instant with that local time, the first or the last of two', () => {
  const digits = (wall: string) => seconds(`${wall}Z`);
  const paris = (wall: string, which: 'first' | 'last') =>
    localTime(instantOfWallTime(digits(wall), 'Europe/Paris', which), 'Europe/Paris');
  expect(paris('2014-12-01T00:00:00', 'first')).toBe('2014-12-01T00:00:00+0100');
  expect(paris('2026-10-25T02:30:00', 'first')).toBe('2026-10-25T02:30:00+0200');
  expect(paris('2026-10-25T02:30:00', 'last')).toBe('2026-10-25T02:30:00+0100');
  expect(paris('2026-03-29T02:30:00', 'first')).toBe('2026-03-29T03:30:00+0200');
  fc.assert(
    fc.property(zone, instant, (name, time) => {
      const wall = digits(referenceTime(time, name).slice(0, 19));
      expect([instantOfWallTime(wall, name, 'first'), instantOfWallTime(wall, name, 'last')]).toContain(time);
    }),
    { numRuns: 200 },
  );
});
