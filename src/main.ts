import { CommanderError } from 'commander';
import type { Perform } from './commands/command.ts';
import { errorOfOtherName } from './commands/meant-words.ts';
import { type Context, createContext } from './context.ts';
import { AdreportError, codeOf, InterruptedError, UsageError } from './errors.ts';
import { goneFolder, type Host, processHost } from './host.ts';
import { createProgram, fromCommanderError, wordsToParse } from './program.ts';
import { ClosedPipeError, Console, type ConsoleFlags, terminalWidth } from './ui/console.ts';

/**
 * Runs one command line and resolves to its exit code; never rejects and never ends the process.
 * The only catch-all of the program: our errors become a message and their exit code, a closed pipe
 * ends quietly, anything else is a bug here and exits 1 without a stack trace (unless `-vv` asks
 * for it).
 */
export async function main(argv: readonly string[], host: Host = processHost()): Promise<number> {
  // Until the command line is read: the flags that decide how an error in it is shown.
  let flags: ConsoleFlags = {
    json: argv.includes('--json'),
    color: !argv.includes('--no-color'),
    verbose: argv.includes('-vv') ? 2 : 0,
  };
  let context: Context | undefined;
  let exitCode = 0;

  const perform: Perform = async (options, action) => {
    flags = options;
    context = createContext(host, new Console(host, options), options);
    exitCode = await action(context);
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
      await program.parseAsync(wordsToParse(argv), { from: 'user' });
    } catch (error) {
      const isUnknown = error instanceof CommanderError && /unknown/i.test(error.code);
      if (!isUnknown) throw error;
      throw errorOfOtherName(program, argv, host.platform) ?? error;
    } finally {
      if (help.length > 0) await new Console(host, flags).write(help.join(''));
    }
    return exitCode;
  } catch (error) {
    const reason = reasonOf(error, host);
    if (reason === undefined) return 0;
    const console = context?.console ?? new Console(host, flags);
    console.renderError(reason);
    return reason instanceof AdreportError ? reason.exitCode : 1;
  } finally {
    await context?.dispose();
  }
}

/**
 * What the user is told of an error; `undefined` for what is none: help that was printed, or a
 * reader who has gone.
 */
function reasonOf(error: unknown, host: Host): unknown {
  const ours = error instanceof CommanderError ? fromCommanderError(error) : error;
  if (ours === undefined || ours instanceof ClosedPipeError) return undefined;
  if (ours instanceof InterruptedError) return ours;

  // Whatever a cancelled operation threw on its way out, the reason it ended is the signal.
  const reason: unknown = host.signal.aborted ? host.signal.reason : ours;
  const code = codeOf(reason);
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new UsageError(`Too many files are open (${code}).`, {
      hint: 'Raise the limit, for example with: ulimit -n 1024',
    });
  }
  const isOfGoneFolder = host.cwd === goneFolder && String(reason).includes(goneFolder);
  if (!isOfGoneFolder) return reason;
  return new UsageError('The working folder was deleted.', {
    hint: 'Go to another one, or give absolute paths.',
  });
}
