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
  effect(values: FaultValues, name: string): FaultEffect;
}

/** The values of a fault's keys, as far as they were given. */
export type FaultValues = Readonly<Record<string, number | undefined>>;

/** What a fault does: each member acts at another point of a call, or on a report. */
export interface FaultEffect {
  /** How long the call waits before anything else. */
  readonly delayMs?: number;

  /**
   * Answers in place of the service; with nothing where it has ended the connection. `revokeToken`
   * ends the call's.
   */
  answer?(incoming: IncomingMessage, revokeToken: () => void): Answer | undefined;
  readonly changeBody?: BodyChange;

  /** The status that a report has in place of `ready`. */
  readonly end?: ReportStatus;
}

/** A key of a fault. */
export interface FaultKey {
  /** What its value is called. */
  readonly what: string;

  /** A value that it may have. */
  readonly example: string;

  /** Reads a value; `NaN` where it is wrong. */
  read(text: string): number;
}

export const wholeNumber: FaultKey = {
  what: 'whole number',
  example: '2',
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN),
};

export const probability: FaultKey = {
  what: 'probability from 0 to 1',
  example: '0.1',
  read: (text) => (/^(0|1|0?\.\d+)$/.test(text) ? Number(text) : Number.NaN),
};

const unitBytes: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1_000],
  ['mb', 1_000_000],
]);

/** In bytes. */
export const size: FaultKey = {
  what: 'size such as 1000 or 10kb',
  example: '10kb',
  read(text) {
    const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
    return Number(count) * (unitBytes.get(unit.toLowerCase()) ?? Number.NaN);
  },
};

export const milliseconds: FaultKey = {
  what: 'number of milliseconds up to 24 days',
  example: '500',
  read(text) {
    const isBareNumber = /^\d{1,10}$/.test(text);
    const durationMs = isBareNumber ? Number(text) : parseDuration(text);
    // Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it.
    if (durationMs === undefined || durationMs >= 2 ** 31) return Number.NaN;
    return durationMs;
  },
};
