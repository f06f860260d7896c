import type { IncomingMessage } from 'node:http';
import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import { parseDuration } from '../../text/quantity.ts';
import type { Answer, BodyChange } from '../http-answer.ts';
import type { FaultAnswer } from '../public-types.ts';

export interface FaultKind {
  /** One line for help. */
  readonly meaning: string;

  /** In addition to the common keys. */
  readonly keys?: Readonly<Record<string, FaultKey>>;

  readonly requires?: string;

  /**
   * Additional input, which may replace the required key: an answer (over HTTP or in process), or a
   * change (in process only).
   */
  readonly takes?: 'answer' | 'change';

  /** Calls that it can strike, most likely first. Default: all. */
  readonly endpoints?: readonly EndpointName[];

  /** `name` is the kind as written, such as `503`. */
  effect(input: FaultInput, name: string): FaultEffect;
}

/** Values of the keys, as read, and an answer or a change. */
export interface FaultInput {
  readonly values: Readonly<Record<string, number | string | undefined>>;
  readonly answer?: FaultAnswer | undefined;
  readonly change?: DocumentChange | undefined;
}

/** Returns the document to send instead of the service's document. */
export type DocumentChange = (document: unknown) => unknown;

/** Effect on a call or a report. Each member acts at a different point. */
export interface FaultEffect {
  /** Waits this long before anything else. */
  readonly delayMs?: number;

  /**
   * Responds instead of the service. Returns `undefined` if it has closed the connection.
   * `revokeToken` revokes the token of the call.
   */
  answer?(incoming: IncomingMessage, revokeToken: () => void): Answer | undefined;

  /**
   * Returns a response to send instead of the service's. The service still does its work.
   * `reportId` is the report of the call, if any.
   */
  replace?(reportId: string | undefined): Answer;

  /** Changes the service's JSON document; not used for error responses. */
  readonly change?: DocumentChange | undefined;

  readonly changeBody?: BodyChange;

  /** Final status of a report, instead of `ready`. */
  readonly end?: ReportStatus;
}

export interface FaultKey {
  /** Expected value, for errors. */
  readonly label: string;

  readonly example: string;

  /** Takes the rest of the text, including colons, as its value. */
  readonly takesRest?: boolean;

  /** Refers to this machine, so it is refused over HTTP. */
  readonly isLocalOnly?: boolean;

  /** Returns `undefined` for an invalid value. */
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

/** Final statuses only, no 1xx. */
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
