import type { Accounts, ServiceAccount } from '../account/account.ts';
import type { PageHost } from '../formats/page-extras.ts';
import type { Console } from '../ui/console.ts';

export interface PlanTools {
  readonly console: Console;
  readonly host: PageHost & {
    readonly stdin: NodeJS.ReadStream;

    /** Milliseconds since 1970. */
    readonly wallClock: () => number;
  };
  readonly flags: { readonly json?: boolean | undefined };

  /** Account of the command line, the environment or the stored settings. */
  readonly account: ServiceAccount;
  readonly accounts: Accounts;
}
