import type { ServiceAccount } from '../account/account.ts';
import type { FileHost } from '../text/file-in-use.ts';
import type { Console } from '../ui/console.ts';

export interface DoctorTools {
  readonly console: Console;
  readonly host: FileHost & {
    readonly stdin: NodeJS.ReadStream;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;

    /** Milliseconds since 1970. */
    readonly wallClock: () => number;
  };
  readonly flags: { readonly json?: boolean | undefined };
  readonly account: ServiceAccount;
}
