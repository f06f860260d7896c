import type { Accounts, ServiceAccount } from '../account/account.ts';
import type { Store } from '../account/store.ts';
import type { Console } from '../ui/console.ts';
import type { Progress } from '../ui/progress.ts';
import type { Ledger } from './ledger.ts';
import type { DeliveryTools, OutputHost } from './output-tools.ts';

interface RunHost extends OutputHost {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** Terminal, machine and version: all that most steps need. */
export interface StepTools {
  readonly console: Console;
  readonly host: RunHost;

  /** Version of this program, for the history and the origin of a file. */
  readonly version: string;
}

export interface RunTools extends StepTools, DeliveryTools {
  readonly host: RunHost;

  /** Account of the command line, the environment or the stored settings. */
  readonly account: ServiceAccount;
  readonly accounts: Accounts;
  readonly isLocal: boolean;
  readonly store: () => Store;

  /** Reports created on this machine; `undefined` with `--local`. */
  readonly ledger: () => Ledger | undefined;

  readonly progress: () => Promise<Progress>;
  readonly elapsedMs: () => number;

  /** Ends the work of this command early, including all calls. */
  readonly callOff: AbortController;
}
