import type { Accounts, ServiceAccount } from '../account/account.ts';
import type { PageHost } from '../formats/page-extras.ts';
import type { Console } from '../ui/console.ts';

/** The machine that reports are planned on. */
interface PlanHost extends PageHost {
  readonly stdin: NodeJS.ReadStream;

  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** The terminal, the machine and the accounts of a plan. */
export interface PlanTools {
  readonly console: Console;
  readonly host: PlanHost;
  readonly flags: { readonly json?: boolean | undefined };

  /** The account of the command line, the environment or the stored settings. */
  readonly account: ServiceAccount;
  readonly accounts: Accounts;
}
