import type { IncomingMessage } from 'node:http';
import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import type { BodyChange, Reply } from '../reply.ts';

export interface FaultKind {
  /** Keys that only this kind has. */
  readonly keys?: Readonly<Record<string, FaultKey>>;

  /** Key that the kind needs. */
  readonly requires?: string;

  /** Calls that the fault can affect, most likely first. Default: all. */
  readonly endpoints?: readonly EndpointName[];

  /**
   * Returns the effect of a fault. `name` is the kind as written, such as `503`. `values` are the
   * values of its keys.
   */
  effect(values: FaultValues, name: string): FaultEffect;
}

type FaultValues = Readonly<Record<string, number | undefined>>;

/** Effect on a call or a report. Each member acts at a different point. */
export interface FaultEffect {
  /** Time to wait before anything else. */
  readonly delayMs?: number;

  /**
   * Responds instead of the service. Returns `undefined` if it has closed the connection.
   * `revokeToken` revokes the token of the call.
   */
  respond?(incoming: IncomingMessage, revokeToken: () => void): Reply | undefined;

  /**
   * Receives the service's JSON document and returns the document to send instead. Not called for
   * refusals.
   */
  readonly change?: (document: unknown) => unknown;

  readonly changeBody?: BodyChange;

  /** Final status of a report, instead of `ready`. */
  readonly end?: ReportStatus;
}

interface FaultKey {
  /** Describes the expected value in errors. */
  readonly label: string;

  /** Reads a value; `undefined` if it is invalid. */
  read(text: string): number | undefined;
}

export const wholeNumber: FaultKey = {
  label: 'whole number',
  read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
};

const unitBytes: Readonly<Record<string, number>> = { b: 1, kb: 1_000, mb: 1_000_000 };

/** A number of bytes. */
export const size: FaultKey = {
  label: 'size such as 1000 or 10kb',
  read(text) {
    const [, count, unit = 'b'] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
    if (count === undefined) return undefined;
    return Number(count) * (unitBytes[unit.toLowerCase()] ?? 1);
  },
};
