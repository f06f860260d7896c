import { spawn } from '@lydell/node-pty';
import { drawScreen, type Screen } from './screen.ts';

/** A program that runs in a real pseudo-terminal. */
export interface Terminal {
  readonly pid: number;
  /** Everything that was written so far, escape sequences included. */
  readonly output: string;
  /** What a person sees now. */
  readonly screen: Screen;
  /** Presses keys: `\r` is Enter, `\u0003` Ctrl-C. */
  type(keys: string): void;
  /** Resolves once the output, from the end of the last wait on, matches; rejects when the program ends before or 10 s pass. */
  waitFor(pattern: string | RegExp): Promise<void>;
  /** Resolves when the program ends; 128 and the signal's number if a signal ended it. */
  readonly exitCode: Promise<number>;
  /** Ends the program if it still runs. */
  close(): void;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const waitLimitMs = 10_000;

/** Starts a command in a pseudo-terminal that shows colours, unless the environment given says otherwise. */
export function openTerminal(command: string, args: readonly string[], options: TerminalOptions = {}): Terminal {
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
  return {
    pid: child.pid,
    get output() {
      return output;
    },
    get screen() {
      return drawScreen(output, columns);
    },
    type: (keys) => child.write(keys),
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = (why: string): void =>
          reject(new Error(`${why} before ${pattern}; it ends with ${JSON.stringify(output.slice(-600))}`));
        const timer = setTimeout(() => fail('10 s passed'), waitLimitMs);
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
    exitCode,
    close: () => {
      if (!hasEnded) child.kill('SIGKILL');
    },
  };
}

function endOfMatch(text: string, pattern: string | RegExp): number | undefined {
  if (typeof pattern === 'string') {
    const start = text.indexOf(pattern);
    return start < 0 ? undefined : start + pattern.length;
  }
  const match = pattern.exec(text);
  return match ? match.index + match[0].length : undefined;
}
