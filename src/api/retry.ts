/** Whether to try a call again, and when: pure, so that every rule stands in a table of a test (`cli.md`, Waiting). */

/** What went wrong with one try. */
export interface FailedTry {
  /** The answer's status, when there was an answer. */
  readonly status?: number;
  /** Whether bytes of the request may have reached the service. */
  readonly sent: boolean;
  /** Whether the failure can pass: a name that does not resolve or a bad certificate will not. */
  readonly passing: boolean;
}

/** The statuses that say "later" rather than "no". */
const passingStatuses = new Set([408, 429, 502, 503, 504]);

/**
 * Whether a call may be made again.
 *
 * @param repeatable whether making the call twice does no harm. A create is not repeatable once its bytes may have
 *   reached the service: each one that arrives is a report more.
 */
export function mayRetry(failed: FailedTry, call: { repeatable: boolean; tries: number; retries: number }): boolean {
  if (call.tries > call.retries) return false;
  if (failed.sent && !call.repeatable) return false;
  return failed.status === undefined ? failed.passing : passingStatuses.has(failed.status);
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;

/**
 * The pause before the next try, in milliseconds: doubling from half a second to half a minute, of which a random half
 * is left out so that many clients do not come back at the same moment. `Retry-After` makes it longer, never shorter:
 * a date that a clock running ahead has already passed is no reason to hurry.
 *
 * @param tries how many tries have failed so far, from 1
 * @param random a number from 0 (inclusive) to 1
 */
export function retryPauseMs(tries: number, retryAfterMs: number | undefined, random: () => number): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
  return Math.max(Math.round(full * (0.5 + random() / 2)), retryAfterMs ?? 0);
}

/** The longest `Retry-After` that is waited for: a cron job is told of a longer one instead of sleeping through it. */
export const longestRetryAfterMs = 15 * 60_000;

/** `Retry-After` in milliseconds from now, given in seconds or as an HTTP date (RFC 9110, 10.2.3); `undefined` when unreadable. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
