import type { IncomingMessage } from 'node:http';
import type { EndpointName, ReportStatus } from '../../contract/messages.ts';
import type { BodyChange, Reply } from '../reply.ts';

export interface FaultKind {
  /** Keys that only this kind has. */
  readonly keys?: Readonly<Record<string, FaultKey>>;

  /** Key that a fault must have. */
  readonly requiredKey?: string;

  /** Calls that the fault can affect, most likely first. Default: all. */
  readonly endpoints?: readonly EndpointName[];

  /**
   * Returns the effect of a fault.
   *
   * @param values values of the fault's keys
   * @param name name of the kind as written, such as `503`
   */
  effect(values: FaultValues, name: string): FaultEffect;
}

type FaultValues = Readonly<Record<string, number | undefined>>;

/** Effect on a call or a report. Each property takes effect at a different point of the call. */
export interface FaultEffect {
  /** Time to wait before anything else. */
  readonly delayMs?: number;

  /**
   * Responds instead of the service. Returns `undefined` after closing the connection.
   *
   * @param revokeToken revokes the call's token
   */
  respond?(incoming: IncomingMessage, revokeToken: () => void): Reply | undefined;

  /**
   * Receives the service's JSON document and returns the document to send instead. Refusals are
   * sent unchanged.
   */
  readonly change?: (document: unknown) => unknown;

  readonly changeBody?: BodyChange;

  /** Final status of a report, instead of `ready`. */
  readonly finalStatus?: ReportStatus;
}

interface FaultKey {
  /** Describes the expected value in errors. */
  readonly label: string;

  /** Parses a value, or returns `undefined` if it is invalid. */
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
