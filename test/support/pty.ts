import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { drawScreen } from './screen.ts';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Shorter than the limit of a test, so that its error has the output. */
const waitLimitMs = 50_000;

/** Starts a command in a pseudo-terminal for one test, with colours unless `env` turns them off. */
export function openTerminal(
  command: string,
  args: readonly string[],
  options: TerminalOptions = {},
) {
  const { columns = 80, rows = 24, cwd = process.cwd() } = options;
  const { NO_COLOR: _no, FORCE_COLOR: _force, COLUMNS: _columns, ...inherited } = process.env;
  const env = { ...inherited, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...options.env };
  const child = spawn(command, [...args], { name: env.TERM, cols: columns, rows, cwd, env });
  let output = '';
  let seen = 0;
  let hasEnded = false;
  let wake = (): void => {};
  child.onData((data) => {
    output += data;
    wake();
  });
  const exitCode = new Promise<number>((resolve) => {
    child.onExit(({ exitCode: code, signal }) => {
      hasEnded = true;
      resolve(signal ? 128 + signal : code);
      wake();
    });
  });
  onTestFinished(() => {
    if (!hasEnded) child.kill('SIGKILL');
  });
  return {
    pid: child.pid,

    /** Output so far, including escape sequences. */
    get output() {
      return output;
    },

    /** Lines, cursor and modes as a person sees them. */
    get screen() {
      return drawScreen(output, columns);
    },

    /** Types keys: `\r` is Enter, `\u0003` Ctrl-C. */
    type: (keys: string): void => child.write(keys),

    /** Resolves at the next match in the output; rejects after 50 s or when the program ends. */
    waitFor: (pattern: string | RegExp) =>
      new Promise<void>((resolve, reject) => {
        const fail = (why: string): void =>
          reject(
            new Error(
              `${why} before ${pattern}; it ends with ${JSON.stringify(output.slice(-600))}`,
            ),
          );
        const timer = setTimeout(() => fail('50 s passed'), waitLimitMs);
        wake = () => {
          const end = endOfMatch(output.slice(seen), pattern);
          if (end === undefined && !hasEnded) return;
          clearTimeout(timer);
          wake = () => {};
          if (end === undefined) return fail('The program ended');
          seen += end;
          resolve();
        };
        wake();
      }),

    /** Resolves when the program ends, with 128 plus the signal's number if a signal ended it. */
    exitCode,
  };
}

function endOfMatch(text: string, pattern: string | RegExp): number | undefined {
  const found = typeof pattern === 'string' ? pattern : (pattern.exec(text)?.[0] ?? '\0');
  const start = text.indexOf(found);
  return start < 0 ? undefined : start + found.length;
}
