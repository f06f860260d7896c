import type { Client } from '../api/client.ts';
import { AdreportError, isNotSignedIn } from '../errors.ts';
import type { PartsProgress } from '../ui/progress.ts';

/** After so many equal refusals, nothing more is requested if nothing was accepted. */
const maxRefusals = 3;

interface QueueOptions {
  /** Reports at a time. */
  readonly size: number;
  readonly client: () => Promise<Client>;

  /** Counts the reports; absent if there is only one. */
  readonly meter?: PartsProgress | undefined;
}

/** The reports of one account: a few at a time, and none once the service refuses them all. */
export class RequestQueue {
  readonly #options: QueueOptions;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #errors: AdreportError[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#free = options.size;
  }

  /** Works on a report once it is its turn. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));

    const meter = this.#options.meter?.begin();
    let isDone = false;
    try {
      await this.#throwIfRefused();
      const result = await work();
      isDone = true;
      return result;
    } catch (error) {
      if (error instanceof AdreportError) this.#errors.push(error);
      throw error;
    } finally {
      meter?.end(isDone);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** Throws a refused sign-in, or a refusal of every request, which the next one would get too. */
  async #throwIfRefused(): Promise<void> {
    const signIn = this.#errors.find(isNotSignedIn);
    if (signIn) throw signIn;

    const refusals = this.#errors.filter(({ exitCode, reportId }) => {
      return exitCode === 4 && reportId === undefined;
    });
    const repeated = refusals.find(({ message }) => {
      return refusals.filter((other) => other.message === message).length >= maxRefusals;
    });
    if (!repeated) return;
    const { hasCreatedReport } = await this.#options.client();
    if (!hasCreatedReport) throw repeated;
  }
}
