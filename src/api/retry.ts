/** Whether to try a call again, and when: pure, so that every rule stands in a table of a test (`cli.md`, Waiting). */

/** What went wrong with one try. */
export interface FailedTry {
  /** The answer's status, when there was an answer. */
  readonly status?: number;
  /** Its `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether bytes of the request may have reached the service. */
  readonly sent: boolean;
  /** Whether a failure without a status can pass: a name that does not resolve or a bad certificate will not. */
  readonly passing: boolean;
}

/** The statuses that say "later" rather than "no". */
const passingStatuses = [408, 429, 500, 502, 503, 504];

/**
 * Whether a call may be made again.
 *
 * @param isCreate whether it asks for a report: each such call that is carried out is a report more, so it is repeated only
 *   when it certainly did nothing
 */
export function mayRetry(failed: FailedTry, call: { isCreate: boolean; tries: number; retries: number }): boolean {
  if (call.tries > call.retries) return false;
  if (failed.status === undefined) return failed.passing && !(failed.sent && call.isCreate);
  return call.isCreate ? isRefusedForNow(failed) : passingStatuses.includes(failed.status);
}

/** Whether the service said that it did nothing, and when to come back. */
export function isRefusedForNow({ status, retryAfterMs }: FailedTry): boolean {
  return status === 429 || (status === 503 && retryAfterMs !== undefined);
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

const yearMs = 365 * 86_400_000;

/**
 * `Retry-After` in milliseconds from now, given in seconds or as an HTTP date (RFC 9110, 10.2.3), a year at most;
 * `undefined` when unreadable.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1_000) : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), yearMs);
}

/**
 * One pace for all the calls of a client, however many reports it works on at a time. Without a 429 calls are free. Each
 * 429 stops all of them for the pause it asks for, and doubles the space between two calls after it, from 50 ms to 5 s;
 * each call that gets through takes a tenth off the space. So many parts at a time settle at about the rate that the
 * service allows, instead of being refused together again.
 *
 * @param clock milliseconds that never run backwards
 */
export function createThrottle(
  clock: () => number,
  sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>,
  signal: AbortSignal,
) {
  let spacingMs = 0;
  let freeAtMs = Number.NEGATIVE_INFINITY;
  let heldUntilMs = Number.NEGATIVE_INFINITY;
  return {
    /** Resolves when a call may be made. */
    async pass(): Promise<void> {
      for (;;) {
        // The next moment at which a call may be made is taken: those who wait leave one after the other.
        const turnMs = Math.max(clock(), heldUntilMs, freeAtMs);
        freeAtMs = turnMs + spacingMs;
        const waitMs = turnMs - clock();
        if (waitMs > 0) await sleep(waitMs, signal);
        // Unless another call was refused meanwhile: then the turn comes after that pause.
        if (heldUntilMs <= turnMs) return;
      }
    },
    /** The service allows no more for now: nobody calls for so long, and all call more slowly after it. */
    hold(pauseMs: number): void {
      heldUntilMs = Math.max(heldUntilMs, clock() + pauseMs);
      freeAtMs = Math.max(freeAtMs, heldUntilMs);
      spacingMs = Math.min(5_000, Math.max(50, spacingMs * 2));
    },
    /** A call was let through: the pace may rise again. */
    ease(): void {
      spacingMs = spacingMs < 6 ? 0 : spacingMs * 0.9;
    },
  };
}
