import { UsageError } from '../../errors.ts';

/** The form of a fault, for errors and help. */
export const grammar =
  'A fault is ENDPOINT:KIND[:key=value…], e.g. status:503:times=3 or download:truncate:bytes=1000.';

const sizeUnits: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1_000, mb: 1_000_000 };

/** The `key=value` pairs of a fault. Each is taken once; what is left over is no key of it. */
export class FaultKeys {
  readonly #text: string;
  readonly #values: Map<string, string>;

  /**
   * Throws `UsageError` where a pair is none.
   *
   * @param text the whole fault, which errors quote
   */
  constructor(text: string, pairs: readonly string[]) {
    this.#text = text;
    this.#values = new Map(
      pairs.map((pair) => {
        const at = pair.indexOf('=');
        if (at < 1) throw this.wrong(`“${pair}” is no key=value`, grammar);
        return [pair.slice(0, at), pair.slice(at + 1)];
      }),
    );
  }

  /** The value of a key as it was given. */
  take(key: string): string | undefined {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value;
  }

  /** A whole number, where it is given. Throws `UsageError`. */
  takeWhole(key: string): number | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (/^\d{1,9}$/.test(value)) return Number(value);
    throw this.wrong(`${key}=${value} is no whole number`, grammar);
  }

  /** A number of bytes, `1000` or `10kb`, which must be given. Throws `UsageError`. */
  takeSize(key: string): number {
    const value = this.take(key);
    const match = /^(\d{1,12})(b|kb|mb)?$/i.exec(value ?? '');
    if (match) return Number(match[1]) * (sizeUnits[(match[2] ?? '').toLowerCase()] ?? 1);
    const problem = value === undefined ? `${key}= is missing` : `${key}=${value} is no size`;
    throw this.wrong(problem, `For example ${key}=10kb.`);
  }

  /** The first key that nobody has taken. */
  get untaken(): string | undefined {
    return this.#values.keys().next().value;
  }

  /** The error that says what is wrong with the fault, and what to write instead. */
  wrong(problem: string, hint: string): UsageError {
    const text = this.#text.slice(0, 120);
    return new UsageError(`The fault “${text}” is wrong: ${problem}.`, { code: 'BAD_FAULT', hint });
  }
}
