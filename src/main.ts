import { CommanderError } from 'commander';
import type { Perform } from './commands/command.ts';
import type { GlobalFlags } from './commands/flags.ts';
import type { Context } from './context.ts';
import { AdreportError, InterruptedError } from './errors.ts';
import { type Host, processHost } from './host.ts';
import { createProgram, fromCommanderError } from './program.ts';
import { ClosedPipeError, type Console, createConsole } from './ui/console.ts';

/**
 * Runs one command line and resolves to its exit code; never rejects and never ends the process.
 * The only catch-all of the program: our errors become a message and their exit code, a closed pipe ends quietly,
 * anything else is a bug here and exits 1 without a stack trace (unless `-vv` asks for it).
 */
export async function main(argv: readonly string[], host: Host = processHost()): Promise<number> {
  let flags = earlyFlags(argv);
  let context: Context | undefined;

  const perform: Perform =
    (load) =>
    async (...parsed) => {
      const command = parsed.at(-1) as { optsWithGlobals(): GlobalFlags; processedArgs: unknown[] };
      const options = command.optsWithGlobals();
      flags = options;
      const [action, { createContext }, console] = await Promise.all([
        load(),
        import('./context.ts'),
        consoleOf(host, options),
      ]);
      context = createContext(host, console, options);
      await action(context, options as never, ...(command.processedArgs as never));
    };

  try {
    const help: string[] = [];
    const output = { write: (text: string) => void help.push(text), columns: host.stdout.columns ?? 100 };
    const program = await createProgram(perform, output, argv);
    try {
      await program.parseAsync([...argv], { from: 'user' });
    } finally {
      if (help.length > 0) await (await consoleOf(host, flags)).write(help.join(''));
    }
    return context?.exitCode ?? 0;
  } catch (error) {
    return await exitCodeFor(error, host, flags, context);
  } finally {
    await context?.dispose();
  }
}

function consoleOf(host: Host, flags: GlobalFlags): Promise<Console> {
  const { stdout, stderr, env } = host;
  return createConsole({
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    env,
    flags,
  });
}

/** The two flags that decide how an error is shown when the command line itself is what is wrong. */
function earlyFlags(argv: readonly string[]): GlobalFlags {
  return {
    json: argv.includes('--json'),
    color: !argv.includes('--no-color'),
    verbose: argv.includes('-vv') ? 2 : 0,
    progress: 'none',
  };
}

async function exitCodeFor(
  error: unknown,
  host: Host,
  flags: GlobalFlags,
  context: Context | undefined,
): Promise<number> {
  const ours = error instanceof CommanderError ? fromCommanderError(error) : error;
  if (ours === undefined || ours instanceof ClosedPipeError) return 0;
  const console = context?.console ?? (await consoleOf(host, flags));
  // Whatever a cancelled operation threw on its way out, the reason it ended is the signal.
  const reason = host.signal.aborted && !(ours instanceof InterruptedError) ? host.signal.reason : ours;
  console.renderError(reason);
  return reason instanceof AdreportError ? reason.exitCode : 1;
}
