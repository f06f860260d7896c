import type { IncomingMessage } from 'node:http';
import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { parseDuration } from '../../text/quantity.ts';
import type { Answer, BodyChange } from '../answer.ts';

/** A kind of fault. */
export interface FaultKind {
  /** One line for help. */
  readonly meaning: string;
  /** The keys that it takes beside those of every fault. */
  readonly keys?: Readonly<Record<string, FaultKey>>;
  /** The key that must be given. */
  readonly needs?: string;
  /** The calls that it can strike, the likeliest first; every one where absent. */
  readonly reach?: readonly EndpointName[];
  /** What it does, given the values of its keys; `name` is the one it was given by. */
  effect(values: { readonly [key: string]: number | undefined }, name: string): FaultEffect;
}

/** What a fault does: each member acts at another point of a call, or on a report. */
export interface FaultEffect {
  /** How long the call waits before anything else. */
  readonly delayMs?: number;
  /** Answers in place of the service; with nothing where it has ended the connection. `revokeToken` ends the call's. */
  answer?(incoming: IncomingMessage, revokeToken: () => void): Answer | undefined;
  readonly changeBody?: BodyChange;
  /** The status that a report has in place of `ready`. */
  readonly end?: ReportStatus;
}

type FaultKey = ReturnType<typeof keyOf>;

/** A key of a fault: what its value is called, one that it may have, and how it is read; `NaN` where it is wrong. */
function keyOf(what: string, example: string, read: (text: string) => number) {
  return { what, example, read };
}

const numberIf = (pattern: RegExp, text: string): number =>
  pattern.test(text) ? Number(text) : Number.NaN;

export const wholeNumber = keyOf('whole number', '2', (text) => numberIf(/^\d{1,9}$/, text));
export const probability = keyOf('probability from 0 to 1', '0.1', (text) =>
  numberIf(/^(0|1|0?\.\d+)$/, text),
);

const unitBytes: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };
/** In bytes. */
export const size = keyOf('size such as 1000 or 10kb', '10kb', (text) => {
  const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
  return Number(count) * (unitBytes[unit.toLowerCase()] ?? Number.NaN);
});

export const milliseconds = keyOf('number of milliseconds up to 24 days', '500', (text) => {
  const durationMs = parseDuration(text) ?? numberIf(/^\d{1,10}$/, text);
  // Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it.
  return durationMs < 2 ** 31 ? durationMs : Number.NaN;
});
