import type { IncomingMessage } from 'node:http';
import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { parseDuration } from '../../text/quantity.ts';
import type { Answer, BodyChange } from '../http-answer.ts';
import type { FaultAnswer } from '../public-types.ts';

export interface FaultKind {
  /** One line for help. */
  readonly meaning: string;

  /** Its own keys, in addition to the common ones. */
  readonly keys?: Readonly<Record<string, FaultKey>>;

  /** The required key. */
  readonly requires?: string;

  /**
   * Additional input, which may replace the required key: an answer (over HTTP or in process), or a
   * change (in process only).
   */
  readonly takes?: 'answer' | 'change';

  /** The calls that it can strike, most likely first. Default: all. */
  readonly endpoints?: readonly EndpointName[];

  /** The effect for the given input. `name` is the kind as written, such as `503`. */
  effect(input: FaultInput, name: string): FaultEffect;
}

/** The input of a fault: the values of its keys, and an answer or a change. */
export interface FaultInput {
  readonly values: FaultValues;
  readonly answer?: FaultAnswer | undefined;
  readonly change?: DocumentChange | undefined;
}

/** Returns the document to send instead of the service's document. */
export type DocumentChange = (document: unknown) => unknown;

/** The values of a fault's keys. */
export class FaultValues {
  readonly #values = new Map<string, number | string>();

  has(key: string): boolean {
    return this.#values.has(key);
  }

  set(key: string, value: number | string): void {
    this.#values.set(key, value);
  }

  /** A numeric value. */
  number(key: string): number | undefined {
    const value = this.#values.get(key);
    return typeof value === 'number' ? value : undefined;
  }

  /** A text value. */
  text(key: string): string | undefined {
    const value = this.#values.get(key);
    return typeof value === 'string' ? value : undefined;
  }
}

/** The effect of a fault on a call or a report. Each member acts at a different point. */
export interface FaultEffect {
  /** Waiting time before anything else. */
  readonly delayMs?: number;

  /**
   * Answers instead of the service. Returns `undefined` if it has closed the connection.
   * `revokeToken` revokes the token of the call.
   */
  answer?(incoming: IncomingMessage, revokeToken: () => void): Answer | undefined;

  /**
   * The answer to send instead of the service's answer. The service still does its work. `reportId`
   * is the report of the call, if any.
   */
  replace?(reportId: string | undefined): Answer;

  /** Size of the body that it holds in memory. */
  readonly heldBytes?: number;

  /** Changes the service's JSON document; not for refusals. */
  readonly change?: DocumentChange | undefined;

  readonly changeBody?: BodyChange;

  /** The final status of a report, instead of `ready`. */
  readonly end?: ReportStatus;
}

/** A key of a fault. */
export interface FaultKey {
  /** The expected value, in error messages. */
  readonly label: string;

  readonly example: string;

  /** True for a last key whose value is the rest of the text, including colons. */
  readonly takesRest?: boolean;

  /** True for a key that refers to this machine, which is refused over HTTP. */
  readonly isLocalOnly?: boolean;

  /** Parses a value; `undefined` if it is invalid. */
  read(text: string): number | string | undefined;
}

export const wholeNumber: FaultKey = {
  label: 'whole number',
  example: '2',
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

export const probability: FaultKey = {
  label: 'probability from 0 to 1',
  example: '0.1',
  read: (text) => (/^(0|1|0?\.\d+)$/.test(text) ? Number(text) : undefined),
};

/** A final HTTP status. */
export const httpStatus: FaultKey = {
  label: 'HTTP status from 200 to 599',
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
  label: 'size such as 1000 or 10kb',
  example: '10kb',
  read(text) {
    const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
    const bytesOfUnit = unitBytes.get(unit.toLowerCase());
    if (count === undefined || bytesOfUnit === undefined) return undefined;
    return Number(count) * bytesOfUnit;
  },
};

export const milliseconds: FaultKey = {
  label: 'number of milliseconds up to 24 days',
  example: '500',
  read(text) {
    const isBareNumber = /^\d{1,10}$/.test(text);
    const durationMs = isBareNumber ? Number(text) : parseDuration(text);
    // Longer timers overflow and fire at once.
    if (durationMs === undefined || durationMs >= 2 ** 31) return undefined;
    return durationMs;
  },
};
