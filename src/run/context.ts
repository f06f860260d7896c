import type { AccountOptions, Accounts, ServiceAccount } from '../account/account.ts';
import type { Host } from '../host.ts';
import type { Console, ConsoleFlags } from '../ui/console.ts';
import type { Progress } from '../ui/progress.ts';
import type { Ledger } from './ledger.ts';

/** Options that the command does not accept are not set. */
export interface ContextOptions extends ConsoleFlags, AccountOptions {}

/** Dependencies of a command: console, account, history and signal. */
export interface Context {
  readonly version: string;
  readonly host: Host;
  readonly console: Console;
  readonly flags: ConsoleFlags;

  /** Command line as the user typed it. */
  readonly argv: readonly string[];

  /** Account chosen by the command line, the environment or the stored settings. */
  readonly account: ServiceAccount;

  /** All accounts that the run may use, including `account`. */
  readonly accounts: Accounts;
  elapsedMs(): number;

  /** Returns the reports requested on this machine, or `undefined` with `--local`. */
  ledger(): Ledger | undefined;
  progress(): Promise<Progress>;

  /** Aborted by the user, or through `stopper` if a bug ends the command early. */
  readonly signal: AbortSignal;
  readonly stopper: AbortController;
  dispose(): Promise<void>;
}

/** Returns the context for another account, such as that of a folder. */
export function forAccount(context: Context, account: ServiceAccount): Context {
  return { ...context, account, ledger: () => (account.isLocal ? undefined : context.ledger()) };
}
