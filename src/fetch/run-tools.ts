import type { Accounts, ServiceAccount } from '../account/account.ts';
import type { Store } from '../account/store.ts';
import type { DeliveryTools, OutputHost } from '../deliver/output-tools.ts';
import type { Ledger } from '../report/ledger.ts';
import type { Console } from '../ui/console.ts';
import type { Progress } from '../ui/progress.ts';

/** The machine that reports are downloaded on. */
interface RunHost extends OutputHost {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** The terminal, the machine and the version: all that most steps need. */
export interface StepTools {
  readonly console: Console;
  readonly host: RunHost;

  /** The version of this program, for the history and the origin of a file. */
  readonly version: string;
}

/** What the jobs of one command share. */
export interface RunTools extends StepTools, DeliveryTools {
  readonly host: RunHost;

  /** The account of the command line, the environment or the stored settings. */
  readonly account: ServiceAccount;
  readonly accounts: Accounts;

  /** True with `--local`. */
  readonly isLocal: boolean;
  readonly store: () => Store;

  /** The reports created on this machine; `undefined` with `--local`. */
  readonly ledger: () => Ledger | undefined;

  /** For each report id received by this command, the hash of its request. */
  readonly requestsById: Map<string, string>;
  readonly progress: () => Promise<Progress>;
  readonly elapsedMs: () => number;

  /** Ends the work of this command early, including all calls. */
  readonly callOff: AbortController;
}
