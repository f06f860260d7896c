import type { Transform } from 'node:stream';
import type { EndpointName } from '../../contract/endpoints.ts';
import type { Answer } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { Fate } from '../service/reports.ts';
import type { FaultKeys } from './fault-keys.ts';

/** A kind of fault, as one file of `kinds/` declares it. */
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
export interface FaultEffect {
  /**
   * Acts before the service answers.
   *
   * @param revokeToken ends the token of the call
   */
  before?(call: Call, revokeToken: () => void): Promise<void> | void;
  /** Whether faults that were given behind it leave the call alone; one that answers needs not say so. */
  readonly settles?: true;
  /** Answers in place of the service; with nothing where it has ended the call itself. May throw a `ServiceError`. */
  answer?(call: Call): Answer | undefined;
  /** What the bytes of the answer go through, compressed as they are. */
  changeBody?(): Transform;
  /** Whether the connection is cut behind the body, so that no length is kept and no chunks are ended. */
  readonly cutsConnection?: true;
  /** The status that a report has in place of `ready`. */
  readonly fate?: Fate;
}

/** What strikes a call or a report. */
export interface Strike extends FaultEffect {
  /** The kind, as the log names it. */
  readonly type: string;
}
