import type { Context } from '../context.ts';
import { AdreportError, InterruptedError, SignInError } from '../errors.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import { ClosedPipeError } from '../ui/console.ts';
import { mergeFigures } from '../view/figures.ts';
import { announce, type Delivered, showCard } from './deliver.ts';

/** One piece of the work: a report, or a part of it. */
interface Piece {
  /** Names it. */
  readonly label: string;
  /** That of its account; reports of one account share it. */
  readonly context: Context;
}

interface Failure extends Piece {
  readonly error: AdreportError;
}

/** How many files and failures are named one by one. */
const namedAtMost = 10;

/** What became of the reports of a run. */
export class RunOutcome {
  readonly #context: Context;
  readonly #delivered: Delivered[] = [];
  readonly #failures: Failure[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Throws the reason to go no further with an account: an interrupt, or its refused sign-in, which every call after it
   * would meet too.
   */
  throwIfOver(account: Context): void {
    this.#context.host.signal.throwIfAborted();
    const refused = this.#failures.find(({ context, error }) => context === account && error instanceof SignInError);
    if (refused) throw refused.error;
  }

  /**
   * The result of some work, or `undefined` with its error noted. What is no failure of this work alone is thrown on: a
   * bug, or an output that nobody reads any more.
   */
  async attempt<T>(piece: Piece, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AdreportError) || error instanceof ClosedPipeError) throw error;
      // What was called off has not failed.
      const isCalledOff = error instanceof InterruptedError || this.#context.host.signal.aborted;
      const isKnown = this.#failures.some((failure) => failure.error === error);
      if (!isKnown && !isCalledOff) this.#failures.push({ ...piece, error });
      return undefined;
    }
  }

  /** Notes an output that was written, and says so while they are few. */
  async add(delivered: Delivered): Promise<void> {
    this.#delivered.push(delivered);
    const { figures: _together, ...alone } = delivered;
    await announce(this.#context, alone, { isBrief: this.#delivered.length > namedAtMost });
  }

  /**
   * Says on stderr what was written, and throws what went wrong: the error of the first part that failed, with its
   * exit code, after the names of all. Where nothing did, shows the figures of all files of one report together.
   *
   * @param hint what to do after a failure
   */
  conclude(hint: string, options: { readonly isOneReport: boolean }): void {
    const { console, elapsedMs, host } = this.#context;
    const files = this.#delivered.filter(({ file }) => file !== undefined);
    const isMany = files.length > namedAtMost;
    if (isMany || (options.isOneReport && files.length > 1 && files.every((one) => one.figures))) {
      const rows = formatPlural(
        files.reduce((total, { rowCount }) => total + rowCount, 0),
        'row',
      );
      const size = formatBytes(files.reduce((total, { sizeBytes }) => total + sizeBytes, 0));
      const count = `${isMany ? 'Wrote' : 'Together'} ${formatPlural(files.length, 'file')}`;
      console.note(`${count}: ${rows}, ${size}, in ${formatDuration(elapsedMs())}.`);
    }
    if (host.signal.aborted) throw interrupted(host.signal.reason, hint);
    const [first] = this.#failures;
    if (first) throw this.#summarised(first, hint);
    const figures = files.flatMap((one) => one.figures ?? []);
    // Different reports may count the same displays.
    if (figures.length === 0 || !options.isOneReport) return;
    showCard(this.#context, mergeFigures(figures));
  }

  /** Why an output of several parts cannot be finished: the first failure, or the interrupt. */
  get reason(): unknown {
    return this.#failures[0]?.error ?? this.#context.host.signal.reason;
  }

  #summarised({ label, error }: Failure, hint: string): AdreportError {
    const count = this.#failures.length;
    if (count === 1) {
      error.message = `${label} failed: ${error.message}`;
    } else {
      const lines = this.#failures
        .slice(0, namedAtMost)
        .map((failure) => `  - ${failure.label}: ${failure.error.message}`);
      if (count > namedAtMost) lines.push(`  - and ${count - namedAtMost} more`);
      error.message = `${count} reports failed:\n${lines.join('\n')}`;
    }
    return error.amend('', { hint: error.hint === undefined ? hint : `${error.hint}\n${hint}` });
  }
}

function interrupted(reason: unknown, hint: string): unknown {
  return reason instanceof InterruptedError ? reason.amend('', { hint }) : reason;
}
