import type { IncomingMessage } from 'node:http';
import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { parseDuration } from '../../text/quantity.ts';
import type { Answer, BodyChange } from '../answer.ts';
import type { FaultAnswer } from '../local-server.ts';

/** A kind of fault. */
export interface FaultKind {
  /** One line for help. */
  readonly meaning: string;

  /** The keys that it takes beside those of every fault. */
  readonly keys?: Readonly<Record<string, FaultKey>>;

  /** The key that must be given. */
  readonly needs?: string;

  /**
   * What it takes beside its keys, or in place of the one that it needs: an answer over HTTP and in
   * a test's own process, a change in the latter alone.
   */
  readonly takes?: 'answer' | 'change';

  /** The calls that it can strike, the likeliest first; every one where absent. */
  readonly reach?: readonly EndpointName[];

  /** What it does, given the values of its keys; `name` is the one it was given by. */
  effect(given: FaultGiven, name: string): FaultEffect;
}

/** What a fault was given: the values of its keys, and what its kind takes beside them. */
export interface FaultGiven {
  readonly values: FaultValues;
  readonly answer?: FaultAnswer | undefined;
  readonly change?: DocumentChange | undefined;
}

/** Makes another document of the one that the service answers with. */
export type DocumentChange = (document: unknown) => unknown;

/** The values of a fault's keys, as far as they were given. */
export class FaultValues {
  readonly #values = new Map<string, number | string>();

  has(key: string): boolean {
    return this.#values.has(key);
  }

  set(key: string, value: number | string): void {
    this.#values.set(key, value);
  }

  /** The value of a key that is a number. */
  number(key: string): number | undefined {
    const value = this.#values.get(key);
    return typeof value === 'number' ? value : undefined;
  }

  /** The value of a key that is a text. */
  text(key: string): string | undefined {
    const value = this.#values.get(key);
    return typeof value === 'string' ? value : undefined;
  }
}

/** What a fault does: each member acts at another point of a call, or on a report. */
export interface FaultEffect {
  /** How long the call waits before anything else. */
  readonly delayMs?: number;

  /**
   * Answers in place of the service; with nothing where it has ended the connection. `revokeToken`
   * ends the call's.
   */
  answer?(incoming: IncomingMessage, revokeToken: () => void): Answer | undefined;

  /**
   * The answer that is sent once the service has done its work, instead of the service's.
   * `reportId` is that of the report that the call is about, if any.
   */
  replace?(reportId: string | undefined): Answer;

  /** The size of the body that it keeps to send. */
  readonly heldBytes?: number;

  /** The JSON document that is sent instead of the service's; not for refusals. */
  readonly change?: DocumentChange | undefined;

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

  /** It is the last key, and its value is the rest of the fault, colons included. */
  readonly takesRest?: boolean;

  /** It names something of the machine, so that no caller over HTTP may give it. */
  readonly isOfHost?: boolean;

  /** Reads a value; `undefined` where it is wrong. */
  read(text: string): number | string | undefined;
}

export const wholeNumber: FaultKey = {
  what: 'whole number',
  example: '2',
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

export const probability: FaultKey = {
  what: 'probability from 0 to 1',
  example: '0.1',
  read: (text) => (/^(0|1|0?\.\d+)$/.test(text) ? Number(text) : undefined),
};

/** An HTTP status that an answer can have. */
export const httpStatus: FaultKey = {
  what: 'HTTP status from 200 to 599',
  example: '200',
  read: (text) => (/^[2-5]\d\d$/.test(text) ? Number(text) : undefined),
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
    const bytesOfUnit = unitBytes.get(unit.toLowerCase());
    if (count === undefined || bytesOfUnit === undefined) return undefined;
    return Number(count) * bytesOfUnit;
  },
};

export const milliseconds: FaultKey = {
  what: 'number of milliseconds up to 24 days',
  example: '500',
  read(text) {
    const isBareNumber = /^\d{1,10}$/.test(text);
    const durationMs = isBareNumber ? Number(text) : parseDuration(text);
    // Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it.
    if (durationMs === undefined || durationMs >= 2 ** 31) return undefined;
    return durationMs;
  },
};
