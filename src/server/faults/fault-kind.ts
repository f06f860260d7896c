import type { IncomingMessage } from 'node:http';
import type { EndpointName } from '../../contract/endpoints.ts';
import type { Answer, BodyChange } from '../answer.ts';
import type { ReportEnd } from '../service/reports.ts';
import type { FaultKeys } from './fault-keys.ts';

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
export interface FaultEffect extends BodyChange {
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
