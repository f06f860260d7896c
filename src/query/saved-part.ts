import { parseTimestamp } from '../contract/values.ts';
import { UsageError } from '../errors.ts';
import { buildQuery } from './build-query.ts';
import { formatEnds } from './calendar.ts';
import { fixedPeriod, withPeriod } from './command-for.ts';
import { toWholePart } from './parts.ts';
import type { Part } from './query.ts';
import { type SavedValue, toSavedKeys } from './saved-keys.ts';
import { readSavedKeys } from './saved-report.ts';

/** A stored part. */
export interface SavedPart {
  /** Query with fixed dates, as keys of a saved report. */
  readonly request: Readonly<Record<string, SavedValue>>;

  /** First and last second of the report, `2026-11-01T00:00:00+01:00`. */
  readonly window: { readonly since: string; readonly until: string };
}

export function savePart(part: Part): SavedPart {
  const days = fixedPeriod({ ...part, end: part.until + 1 });
  return { request: toSavedKeys(withPeriod(part.query, days)), window: formatEnds(part) };
}

/** Restores a stored part, or returns `undefined` if it is invalid. */
export function readSavedPart({ request, window }: SavedPart): Part | undefined {
  const nowMs = parseTimestamp(window.until)?.instantMs;
  if (nowMs === undefined) return undefined;
  try {
    const options = readSavedKeys(request);
    // The keys include the settings of the account.
    return toWholePart(buildQuery(options, { ...options, nowMs }), nowMs);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
