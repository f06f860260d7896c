import type { ServiceAccount } from '../account/account.ts';
import type { FileHost } from '../text/held-file.ts';
import type { Console } from '../ui/console.ts';

/** The machine that is checked. */
interface DoctorHost extends FileHost {
  readonly stdin: NodeJS.ReadStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;

  /** Milliseconds since 1970. */
  readonly wallClock: () => number;
}

/** The terminal, the machine and the account that are checked. */
export interface DoctorTools {
  readonly console: Console;
  readonly host: DoctorHost;
  readonly flags: { readonly json?: boolean | undefined };
  readonly account: ServiceAccount;

  /** True with `--local`. */
  readonly isLocal: boolean;
}
