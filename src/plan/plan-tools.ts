import type { Accounts, ServiceAccount } from '../account/account.ts';
import type { PageMachine } from '../formats/page-extras.ts';
import type { Console } from '../ui/console.ts';

/** The machine that reports are planned on. */
interface PlanMachine extends PageMachine {
  readonly stdin: NodeJS.ReadStream;

  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** The terminal, the machine and the accounts of a plan. */
export interface PlanTools {
  readonly console: Console;
  readonly host: PlanMachine;
  readonly flags: { readonly json?: boolean | undefined };

  /** The account of the command line, the environment or the stored settings. */
  readonly account: ServiceAccount;
  readonly accounts: Accounts;
}
