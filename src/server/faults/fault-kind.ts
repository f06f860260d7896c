import type { IncomingMessage } from 'node:http';
import type { EndpointName } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import type { Answer, BodyChange } from '../answer.ts';
import type { ReportEnd } from '../service/reports.ts';

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

const grammar = 'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

const sizeUnits: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };

/** The `key=value` pairs of a fault, each taken once. Its methods throw the `UsageError` that says what is wrong. */
export class FaultKeys {
  readonly #text: string;
  readonly #values: Map<string, string>;

  constructor(text: string) {
    this.#text = text;
    const pairs = text.split(':').slice(2);
    this.#values = new Map(
      pairs.map((pair): [string, string] => {
        const at = pair.indexOf('=');
        if (at < 1) throw this.wrong(`“${pair}” is no key=value`);
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    );
  }

  /** What a key stands for, where it is given: `read` makes it of the text, or nothing of a text that is no `what`. */
  take<Value>(key: string, what: string, read: (text: string) => Value | undefined): Value | undefined {
    const text = this.#values.get(key);
    this.#values.delete(key);
    const value = text === undefined ? undefined : read(text);
    if (text !== undefined && value === undefined) throw this.wrong(`${key}=${text} is no ${what}`);
    return value;
  }

  takeWhole(key: string): number | undefined {
    return this.take(key, 'whole number', (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined));
  }

  /** A number of bytes, `1000` or `10kb`, which must be given. */
  takeSize(key: string): number {
    const size = this.take(key, 'size such as 10kb', (text) => {
      const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
      return count === undefined ? undefined : Number(count) * (sizeUnits[unit.toLowerCase()] ?? 1);
    });
    if (size === undefined) throw this.wrong(`${key}= is missing`, `For example ${key}=10kb.`);
    return size;
  }

  /** The keys that nothing has taken. */
  untaken(): string[] {
    return [...this.#values.keys()];
  }

  wrong(problem: string, hint = grammar): UsageError {
    return new UsageError(`The fault “${this.#text.slice(0, 120)}” is wrong: ${problem}.`, { code: 'BAD_FAULT', hint });
  }
}
