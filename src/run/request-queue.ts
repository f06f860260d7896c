import type { ServiceAccount } from '../account/account.ts';
import { AdreportError, isNotSignedIn } from '../errors.ts';
import type { PartsProgress } from '../ui/progress.ts';

/** After this many equal refusals, requests stop if the service has accepted none. */
const maxRefusals = 3;

/**
 * Limits the work on the reports of a run to a few at a time. If the service refuses all of them,
 * the remaining reports are not requested.
 */
export class RequestQueue {
  /** Number of reports at a time. */
  readonly size: number;
  readonly #meter: PartsProgress | undefined;
  readonly #waiting: (() => void)[] = [];
  readonly #errors = new Map<ServiceAccount, AdreportError[]>();
  #free: number;

  /** @param meter counts the reports */
  constructor(size: number, meter?: PartsProgress) {
    this.size = size;
    this.#meter = meter;
    this.#free = size;
  }

  /** Works on a report of an account when its turn comes. */
  async take<T>(account: ServiceAccount, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));

    const meter = this.#meter?.begin();
    const errors = this.#errors.get(account) ?? [];
    this.#errors.set(account, errors);
    let isDone = false;
    try {
      await throwIfAllRefused(account, errors);
      const result = await work();
      isDone = true;
      return result;
    } catch (error) {
      if (error instanceof AdreportError) errors.push(error);
      throw error;
    } finally {
      meter?.end(isDone);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Throws if the sign-in was refused, or if all requests were refused for the same reason. */
async function throwIfAllRefused(
  account: ServiceAccount,
  errors: readonly AdreportError[],
): Promise<void> {
  const signIn = errors.find(isNotSignedIn);
  if (signIn) throw signIn;

  const refusals = errors.filter(({ exitCode, reportId }) => {
    return exitCode === 4 && reportId === undefined;
  });
  const repeated = refusals.find(({ message }) => {
    return refusals.filter((other) => other.message === message).length >= maxRefusals;
  });
  if (!repeated) return;
  const { hasCreatedReport } = await account.client();
  if (!hasCreatedReport) throw repeated;
}
