import { nearest } from '../../text/nearest.ts';
import { didYouMean, type FlagValue, refuse } from '../mistakes.ts';

const hint = 'Give a name of the TZ database, e.g. Europe/Paris, America/New_York, Asia/Kolkata or UTC.';

/**
 * The zone name in its usual case (`europe/paris` → `Europe/Paris`); an alias stays itself (`Asia/Kolkata`).
 * Throws `UsageError`, with the nearest name, for a name that the TZ database does not have.
 */
export function checkZoneName(value: FlagValue): string {
  const name = value.text.trim();
  const canonical = canonicalName(name);
  if (canonical === undefined) {
    const meant = nearestZone(name);
    throw refuse(value, 'there is no such time zone', meant === undefined ? hint : didYouMean(meant));
  }
  return canonical.toLowerCase() === name.toLowerCase() ? canonical : name;
}

/** The platform's own name of a zone, or `undefined` where it knows none. Offsets (`+02:00`) are no names. */
function canonicalName(name: string): string | undefined {
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The nearest full name, or else the zone of the nearest city (`paris`, `New York`). */
function nearestZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const zoneByCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1), zone]));
  const city = nearest(name.slice(name.lastIndexOf('/') + 1), [...zoneByCity.keys()]);
  return nearest(name, zones) ?? (city === undefined ? undefined : zoneByCity.get(city));
}
