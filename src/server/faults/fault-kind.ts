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

const grammar = 'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

const sizeUnits: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };

export type FaultKeys = ReturnType<typeof readFaultKeys>;

/** The `key=value` pairs of a fault, each taken once. Throws the `UsageError` that says what is wrong, now and later. */
export function readFaultKeys(fault: string) {
  const wrong = (problem: string, hint = grammar): UsageError =>
    new UsageError(`The fault “${fault.slice(0, 120)}” is wrong: ${problem}.`, { code: 'BAD_FAULT', hint });
  const values = new Map(
    fault
      .split(':')
      .slice(2)
      .map((pair): [string, string] => {
        const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
        if (key === '') throw wrong(`“${pair}” is no key=value`);
        return [key, value];
      }),
  );
  /** What a key stands for, where it is given: `read` makes it of the text, or nothing of a text that is no `what`. */
  function take<Value>(key: string, what: string, read: (text: string) => Value | undefined): Value | undefined {
    const text = values.get(key);
    values.delete(key);
    const value = text === undefined ? undefined : read(text);
    if (text !== undefined && value === undefined) throw wrong(`${key}=${text} is no ${what}`);
    return value;
  }
  return {
    wrong,
    take,
    takeWhole: (key: string): number | undefined =>
      take(key, 'whole number', (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)),
    /** A number of bytes, `1000` or `10kb`, which must be given. */
    takeSize(key: string): number {
      const size = take(key, 'size such as 10kb', (text) => {
        const [, count, unit = ''] = /^(\d{1,12})(b|kb|mb)?$/i.exec(text) ?? [];
        return count === undefined ? undefined : Number(count) * (sizeUnits[unit.toLowerCase()] ?? 1);
      });
      if (size === undefined) throw wrong(`${key}= is missing`, `For example ${key}=10kb.`);
      return size;
    },
    /** The keys that nothing has taken. */
    untaken: (): string[] => [...values.keys()],
  };
}
