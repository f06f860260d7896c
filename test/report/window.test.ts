import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDate, formatInstant } from '../../src/report/window.ts';
import { resolveWindow } from '../../src/report/window-flags.ts';

const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Asia/Kolkata', 'America/Buenos_Aires'];
const anyZone = fc.constantFrom(...zones);
/** From 2000 to 2040. */
const anyInstant = fc.integer({ min: 946_684_800, max: 2_208_988_799 });

const formats = new Map<string, Intl.DateTimeFormat>();

/** What the wall shows, by the platform's own formatting: the reference for the clock's arithmetic. */
function wallByIntl(instant: number, zone: string): number {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(zone, format);
  return Date.parse(`${format.format(instant * 1_000).replace(' ', 'T')}Z`) / 1_000;
}

test('a day’s period holds exactly the instants that the platform dates to it', () => {
  fc.assert(
    fc.property(anyZone, anyInstant, fc.nat(86_400), (zone, instant, into) => {
      const day = formatDate(instant, zone);
      const { since, until } = resolveWindow({ period: day, zone, nowMs: 0 });
      const inside = Math.min(since + into, until);
      expect([since, inside, until].map((each) => dateByIntl(each, zone))).toEqual([day, day, day]);
      expect(dateByIntl(since - 1, zone) < day && dateByIntl(until + 1, zone) > day).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test('a wall time without offset is found again, at its first or last instant', () => {
  fc.assert(
    fc.property(anyZone, anyInstant, (zone, instant) => {
      const text = formatInstant(instant, zone).slice(0, 19);
      const { since, until, notes } = resolveWindow({ since: text, until: text, zone, nowMs: 0 });
      expect(since <= instant && instant <= until).toBe(true);
      expect(notes).toHaveLength(since === until ? 0 : 2);
      expect([since, until].map((each) => formatInstant(each, zone).slice(0, 19))).toEqual([text, text]);
    }),
    { numRuns: 150 },
  );
});

test('the machine’s zone makes no difference', () => {
  const nowMs = 1_795_000_000_000;
  const zoneBefore = process.env.TZ;
  const found = ['Pacific/Auckland', 'America/Los_Angeles', 'UTC'].map((machineZone) => {
    process.env.TZ = machineZone;
    const window = resolveWindow({ since: 'today', until: '2026-11-19T10:00', zone: 'Europe/Paris', nowMs });
    return { machineHour: new Date(nowMs).getHours(), window };
  });
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
  expect(new Set(found.map(({ machineHour }) => machineHour)).size).toBe(3);
  for (const { window } of found) expect(window).toEqual(found[0]?.window);
});

function dateByIntl(instant: number, zone: string): string {
  return new Date(wallByIntl(instant, zone) * 1_000).toISOString().slice(0, 10);
}
