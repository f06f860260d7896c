import { isZoneName, offsetAt, type Window } from '../query/calendar.ts';
import { printable } from '../text/printable.ts';
import { secondsPerHour } from './calendar.ts';
import type { CheckMessages } from './check.ts';
import type { RowTime, RowTimes } from './row-times.ts';
import type { Summary } from './window-check.ts';

const secondsPerHalfYear = 183 * 86_400;

/**
 * Warns if the zone in the summary is not the requested zone. Two zones count as the same if their
 * clocks agree in both halves of the year.
 */
export function checkZone(
  { since, until, zone }: Omit<Window, 'end'>,
  { timezone }: Summary,
  messages: CheckMessages,
): void {
  if (timezone === undefined || timezone === null || timezone === '') return;

  const name = String(timezone).trim();
  const received = printable(name.slice(0, 50));
  if (!isZoneName(name)) {
    messages.addNote('zone', `The report's zone could not be read: ${received}.`);
    return;
  }
  const instants = [since, until, since + secondsPerHalfYear];
  const isSame = instants.every((instant) => offsetAt(instant, name) === offsetAt(instant, zone));
  if (isSame) return;
  const message = `The report uses a different zone than requested: ${received} instead of ${zone}.`;
  messages.addWarning('zone', message);
}

/**
 * Warns if an hour has an offset that the zone does not have at that time. `Z` means that the hour
 * is in UTC.
 */
export function checkHourOffsets(times: RowTimes, zone: string, messages: CheckMessages): void {
  for (const time of times.all) {
    if (!hasOtherOffset(time, zone)) continue;
    const hour = printable(String(time.hour));
    messages.addWarning(
      'zone',
      `The hours are not in the zone ${zone}: row ${time.firstRow} has ${hour}.`,
    );
    return;
  }
}

function hasOtherOffset({ hour, timestamp }: RowTime, zone: string): boolean {
  if (!timestamp || String(hour).endsWith('Z')) return false;

  const offsetSeconds = (timestamp.wallMs - timestamp.instantMs) / 1_000;
  const instant = timestamp.instantMs / 1_000;
  if (offsetSeconds === offsetAt(instant, zone)) return false;
  // After a clock change of thirty minutes, an hour may have the offset of its end.
  return offsetSeconds !== offsetAt(instant + secondsPerHour - 1, zone);
}
