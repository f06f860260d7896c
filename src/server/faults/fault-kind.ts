import type { IncomingMessage } from 'node:http';
import type { EndpointName } from '../../contract/messages.ts';
import type { UsageError } from '../../errors.ts';
import type { Answer, BodyChange } from '../answer.ts';
import type { ReportEnd } from '../service/reports.ts';

/** The `key=value` pairs of a fault, each taken once. */
export interface FaultKeys {
  /** The value of a key as it was given. */
  take(key: string): string | undefined;
  /** A whole number, where it is given. Throws `UsageError`. */
  takeWhole(key: string): number | undefined;
  /** A number of bytes, `1000` or `10kb`, which must be given. Throws `UsageError`. */
  takeSize(key: string): number;
  /** The error that says what is wrong with the fault, and what to write instead. */
  wrong(problem: string, hint: string): UsageError;
}

/** A kind of fault, as a file of `kinds/` declares it. */
export interface FaultKind {
  /** One line for help. */
  readonly meaning: string;
  /** Where it goes by any name of a pattern, and not by its own. */
  readonly names?: { readonly pattern: RegExp; readonly label: string; readonly examples: readonly string[] };
  /** The keys that it takes beside those of every fault, each with a value that it may have. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The calls that it can strike, the likeliest first; every one where absent. */
  readonly reach?: readonly EndpointName[];
  /** Reads its keys, and says what it does then; `name` is the one it was given by. Throws `UsageError`. */
  read(keys: FaultKeys, name: string): FaultEffect;
}

/** What a fault does: each member acts at another point of a call, or on a report. */
interface FaultEffect extends BodyChange {
  /**
   * Acts before the service answers.
   *
   * @param revokeToken ends the token of the call
   */
  before?(revokeToken: () => void): Promise<void> | void;
  /** Whether faults that were given after it leave the call alone; one that answers needs not say so. */
  readonly settles?: true;
  /** Answers in place of the service; with nothing where it has ended the connection. May throw a `ServiceError`. */
  answer?(incoming: IncomingMessage): Answer | undefined;
  /** The status that a report has in place of `ready`. */
  readonly end?: ReportEnd;
}

/** The effect of one fault on a call or a report, under the name of its kind. */
export interface NamedEffect extends FaultEffect {
  readonly type: string;
}
