import type { IncomingMessage } from 'node:http';
import type { EndpointName } from '../../contract/messages.ts';
import { parseDuration } from '../../text/quantity.ts';
import type { Answer, BodyChange } from '../answer.ts';
import type { ReportEnd } from '../service/reports.ts';

/** A kind of fault, as a file of `kinds/` declares it. */
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

/** A key of a fault: what its value is called, one that it may have, and how it is read; `undefined` where it is wrong. */
interface FaultKey {
  readonly what: string;
  readonly example: string;
  read(text: string): number | undefined;
}

/** What a fault does: each member acts at another point of a call, or on a report. */
export interface FaultEffect extends BodyChange {
  /** Acts before the service answers; `revokeToken` ends the token of the call. */
  before?(revokeToken: () => void): Promise<void> | void;
  /** Whether faults that were given after it leave the call alone; one that answers needs not say so. */
  readonly settles?: true;
  /** Answers in place of the service; with nothing where it has ended the connection. May throw a `ServiceError`. */
  answer?(incoming: IncomingMessage): Answer | undefined;
  /** The status that a report has in place of `ready`. */
  readonly end?: ReportEnd;
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

/** In bytes. */
export const size: FaultKey = {
  what: 'size such as 1000 or 10kb',
  example: '10kb',
  read(text) {
    const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
    const factor = { kb: 1_000, mb: 1_000_000 }[unit.toLowerCase()] ?? 1;
    return count === undefined ? undefined : Number(count) * factor;
  },
};

/** Timers hold 2^31 - 1 milliseconds at most, and end at once beyond it. */
const durationMsAtMost = 2 ** 31 - 1;

export const milliseconds: FaultKey = {
  what: 'number of milliseconds up to 24 days',
  example: '500',
  read(text) {
    const durationMs = /^\d{1,10}$/.test(text) ? Number(text) : parseDuration(text);
    return durationMs !== undefined && durationMs <= durationMsAtMost ? durationMs : undefined;
  },
};
