import { CommanderError } from 'commander';
import type { Perform } from './commands/command.ts';
import { createContext } from './context.ts';
import { AdreportError, codeOf, isClosedPipe, isInterruption, UsageError } from './errors.ts';
import { deletedFolder, type Host, processHost } from './host.ts';
import { argsBeforeDashes, createProgram, expandHelpAll } from './program.ts';
import type { Context } from './run/context.ts';
import { Console, type ConsoleFlags, terminalWidth } from './ui/console.ts';

/**
 * Runs a command line and resolves to its exit code. It never rejects, and never ends the process.
 * An `AdreportError` becomes a message and its exit code. A closed pipe ends the command quietly.
 * Any other error is a bug with exit code 1, and with a stack trace if `-v` is set.
 */
export async function main(argv: readonly string[], host: Host = processHost()): Promise<number> {
  // These flags apply to errors in the command line itself.
  const args = argsBeforeDashes(argv);
  let flags: ConsoleFlags = {
    json: args.includes('--json'),
    color: !args.includes('--no-color'),
    verbose: args.includes('-v'),
  };
  let context: Context | undefined;
  let exitCode = 0;

  const perform: Perform = async (options, action) => {
    flags = options;
    context = createContext(host, new Console(host, options), { ...options, argv });
    exitCode = (await action(context)) ?? 0;
  };

  try {
    const help: string[] = [];
    const output = {
      write: (text: string) => void help.push(text),
      width: terminalWidth(host.stdout, host.env),
      platform: host.platform,
    };
    const program = createProgram(perform, output, argv);
    try {
      await program.parseAsync(expandHelpAll(argv), { from: 'user' });
    } finally {
      if (help.length > 0) await new Console(host, flags).write(help.join(''));
    }
    return exitCode;
  } catch (error) {
    const reason = findErrorToShow(error, host);
    if (reason === undefined) return 0;
    const console = context?.console ?? new Console(host, flags);
    console.renderError(reason);
    return reason instanceof AdreportError ? reason.exitCode : 1;
  } finally {
    await context?.dispose();
  }
}

/** Finds the error to show. There is none if help was printed, or if the reader has gone. */
function findErrorToShow(error: unknown, host: Host): unknown {
  if (isClosedPipe(error) || isHelp(error)) return undefined;
  if (isInterruption(error)) return error;

  // After a signal, the errors of canceled operations do not matter.
  const reason: unknown = host.signal.aborted ? host.signal.reason : error;
  const code = codeOf(reason);
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new UsageError(`Too many files are open (${code}).`, {
      code,
      hint: 'Raise the limit, for example with: ulimit -n 1024',
    });
  }
  const isDeletedFolder = host.cwd === deletedFolder && String(reason).includes(deletedFolder);
  if (!isDeletedFolder) return reason;
  return new UsageError('The working folder was deleted.', {
    hint: 'Change to another folder, or use absolute paths.',
  });
}

/** Commander throws after printing help or the version. */
function isHelp(error: unknown): boolean {
  if (!(error instanceof CommanderError)) return false;
  return error.exitCode === 0 || error.code === 'commander.help';
}
