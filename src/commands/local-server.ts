import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';
import { defaultZone, windowClocks } from '../contract/messages.ts';
import { codeOf, InterruptedError, UsageError } from '../errors.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { readDuration, readWholeNumber } from '../query/flags/read-value.ts';
import { resolvePeriod } from '../query/period.ts';
import { clockTimeAdvice, readClockTime } from '../server/clock.ts';
import { optionRanges } from '../server/options.ts';
import type { LoggedRequest } from '../server/public-types.ts';
import type { LocalServer } from '../server/start.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { pathWord, quoteForShell } from '../text/quote-for-shell.ts';
import { readSmallFile } from '../text/small-file.ts';
import { declareCommand } from './command.ts';

const hourMs = 3_600_000;

/** Returns a reader for numbers in the range of a server option. */
const readNumberOf = (name: keyof typeof optionRanges) => (text: string) =>
  readWholeNumber(text, optionRanges[name]);

const readRate = (text: string) => readNumberOf('rateLimitPerSecond')(text.replace(/\/s$/, ''));

const hostFlags = flagGroup('Flags:', {
  host: {
    flags: '--host <address>',
    meaning: 'address to listen on',
    read: parseHost,
    default: '127.0.0.1',
    isRare: true,
  },
});

const portFlags = flagGroup('Flags:', {
  port: {
    flags: '--port <n>',
    meaning: 'port to listen on; 0 picks a free one',
    read: readNumberOf('port'),
    default: 8787,
  },
});

const worldFlags = flagGroup('Data:', {
  seed: {
    flags: '--seed <n>',
    meaning: 'seed of the sample data',
    read: readNumberOf('seed'),
    default: 1,
    isRare: true,
  },
  scale: {
    flags: '--scale <n>',
    meaning: 'multiply the sample data by n',
    read: readNumberOf('scale'),
    default: 1,
    isRare: true,
  },
});

const dataFlags = flagGroup('Data:', {
  fixtures: {
    flags: '--fixtures <dir>',
    meaning: 'serve the data in this folder',
  },
  restate: {
    flags: '--restate <n>',
    meaning: 'conversions and revenue of a day keep growing for n days',
    read: readNumberOf('restateDays'),
    default: 0,
    isRare: true,
  },
});

const lifeFlags = flagGroup('Reports and tokens:', {
  delay: {
    flags: '--delay <duration>',
    meaning: 'how long a report takes (default: 2s)',
    read: readDuration,
    conflicts: ['polls', 'manual'],
  },
  polls: {
    flags: '--polls <n>',
    meaning: 'reports become ready at the n-th status call',
    read: readNumberOf('polls'),
    conflicts: ['manual'],
    isRare: true,
  },
  manual: {
    flags: '--manual',
    meaning: 'reports become ready only when an admin call completes them',
    isRare: true,
  },
  tokenTtl: {
    flags: '--token-ttl <duration>',
    meaning: 'token lifetime; each call renews it',
    read: readDuration,
    default: 2 * hourMs,
    defaultText: '2h',
    isRare: true,
  },
  reportTtl: {
    flags: '--report-ttl <duration>',
    meaning: 'lifetime of a report',
    read: readDuration,
    default: 24 * hourMs,
    defaultText: '24h',
    isRare: true,
  },
});

const behaviourFlags = flagGroup('Behaviour:', {
  now: {
    flags: '--now <time>',
    meaning: 'initial time of its clock: 2026-11-01T09:00:00Z',
    read: readNow,
    isRare: true,
  },
  rateLimit: {
    flags: '--rate-limit <n/s>',
    meaning: 'at most n calls a second for each account; more get 429',
    read: readRate,
    isRare: true,
  },
  windowClock: {
    flags: '--window-clock <kind>',
    meaning: 'read since and until as instants, or as wall time',
    words: windowClocks,
    default: 'instant',
    isRare: true,
  },
  lenient: {
    flags: '--lenient',
    meaning: 'ignore unknown parameters instead of refusing them',
    isRare: true,
  },
  tlsCert: {
    flags: '--tls-cert <file>',
    meaning: 'serve https with this certificate',
    isRare: true,
  },
  tlsKey: { flags: '--tls-key <file>', meaning: 'private key of --tls-cert', isRare: true },
  fault: {
    flags: '--fault <spec>',
    meaning: 'inject a fault, such as status:503; repeatable',
    isRepeatable: true,
  },
});

/** Flags of every server; durations are in milliseconds. */
const startFlags = [hostFlags, dataFlags, worldFlags, lifeFlags, behaviourFlags] as const;

const serverFlags = [portFlags, ...startFlags] as const;

type ServerFlags = OptionsOf<typeof serverFlags>;

const execCommand = declareCommand({
  name: 'exec',
  args: ['<command...>'],
  summary: 'run a command against a server, and exit with its code',
  examples: [
    [
      'adreport local-server exec -- adreport whoami',
      'ADREPORT_BASE_URL and ADREPORT_TOKEN are set',
    ],
    ["adreport local-server --delay 0s exec -- sh -c 'echo $ADREPORT_BASE_URL'", 'any command'],
  ],
  flagsAbove: startFlags,
  action: ({ context, options, args: [command] }) => exec(context, options, command),
});

const exportFlags = flagGroup('Flags:', {
  period: {
    flags: '--period <period>',
    meaning: 'the days to write, in Europe/Paris',
    default: 'last-7d',
  },
});

const exportCommand = declareCommand({
  name: 'export',
  args: ['<dir>'],
  summary: 'write the sample data of a period to a folder',
  examples: [
    ['adreport local-server export ./fixtures --period last-week', 'exports data to edit'],
    ['adreport local-server --fixtures ./fixtures', 'serves it'],
  ],
  flags: [exportFlags],
  flagsAbove: [worldFlags],
  async action({ context, options, args: [directory] }) {
    await exportData(context, options, directory);
    return 0;
  },
});

const openapiCommand = declareCommand({
  name: 'openapi',
  summary: 'print the OpenAPI document of the service',
  examples: [
    ['adreport local-server openapi > openapi.json', 'for client generators'],
    ['adreport local-server openapi | npx @redocly/cli lint /dev/stdin', 'in a pipe'],
  ],
  async action({ context }) {
    const { describeService } = await import('../server/start.ts');
    await context.console.result(JSON.stringify(await describeService(), undefined, 2));
    return 0;
  },
});

export const localServerCommand = declareCommand({
  name: 'local-server',
  summary: 'run a test server that behaves like the service',
  examples: [
    ['adreport local-server', 'until Ctrl-C'],
    ['adreport local-server --port 0 --json', 'any free port'],
    ["adreport local-server --delay 30s --fault 'status:503'", 'slow and failing'],
  ],
  flags: serverFlags,
  subcommands: [execCommand, exportCommand, openapiCommand],
  async action({ context, options }) {
    await localServer(context, options);
    return 0;
  },
});

/** Checks a time with its offset; returns it unchanged. */
function readNow(value: string): string {
  try {
    readClockTime(value);
    return value;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new InvalidArgumentError(clockTimeAdvice);
  }
}

/** Reads an address, for IPv6 also in brackets. An empty one would mean all addresses. */
function parseHost(value: string): string {
  const host = value.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new InvalidArgumentError('Use a host, such as 127.0.0.1.');
  return host;
}

/** Serves until Ctrl-C or SIGTERM. */
async function localServer(context: Context, options: ServerFlags): Promise<void> {
  const { console, host } = context;
  const server = await startFromFlags(context, options, console.note);
  try {
    await announceServer(context, server);
    if (!host.signal.aborted) await once(host.signal, 'abort');
  } finally {
    await server.close();
    // A blocked stderr must not keep the process alive after a signal.
    if (host.stderr === process.stderr) setTimeout(() => process.exit(), 1_000).unref();
  }
}

/** Prints the URL to stdout, and the accounts with a first call to stderr. */
async function announceServer(
  { console, flags, host }: Context,
  { url, accounts }: LocalServer,
): Promise<void> {
  if (flags.json) {
    const records = accounts.map(({ name: _name, ...account }) => account);
    const event = { event: 'listening', url, pid: process.pid, accounts: records };
    await console.result(JSON.stringify(event));
    return;
  }

  await console.result(`adreport local-server listening on ${url}`);
  for (const { email, password, profile, admin, token } of accounts) {
    const role = admin ? `${profile}, admin` : profile;
    console.note(`  ${email}  password ${password}  token ${token}  (${role})`);
  }
  const header = quoteForShell(`Authorization: ${accounts[0]?.token}`, host.platform);
  console.note(`  Try: curl -H ${header} ${url}/campaigns`);
  console.note(`  Or open ${url}/ in a browser. Press Ctrl-C to stop.`);
}

/** @param logRequest prints a line for each HTTP request */
async function startFromFlags(
  context: Context,
  flags: ServerFlags,
  logRequest: (line: string) => void,
): Promise<LocalServer> {
  const { console, host } = context;
  const tls = readTls(flags, host.cwd);
  const { startLocalServer } = await import('../server/start.ts');
  const server = await startLocalServer({
    host: flags.host,
    port: flags.port,
    fixtures: flags.fixtures && resolve(host.cwd, flags.fixtures),
    seed: flags.seed,
    scale: flags.scale,
    delayMs: flags.delay,
    polls: flags.polls,
    manual: flags.manual,
    tokenTtlMs: flags.tokenTtl,
    reportTtlMs: flags.reportTtl,
    restateDays: flags.restate,
    rateLimitPerSecond: flags.rateLimit,
    lenient: flags.lenient,
    windowClock: flags.windowClock,
    now: flags.now,
    faults: flags.fault?.map((fault) => withAbsoluteFile(fault, host.cwd)),
    tls,
    onRequest: (request) => logRequest(requestLine(request)),
  });

  if (!/^(localhost|::1|127(\.\d{1,3}){3})$/.test(flags.host)) {
    const what = 'any machine that reaches it can use it, admin calls included';
    console.warn(`The server listens on ${flags.host}: ${what}.`);
  }
  return server;
}

/** Makes the path of the file in a fault absolute, if it has one. */
function withAbsoluteFile(fault: string, cwd: string): string {
  return fault.replace(/:file=(.+)$/s, (_, file: string) => `:file=${resolve(cwd, file)}`);
}

/** Reads the certificate and its key, as PEM; `undefined` for http. Throws `UsageError`. */
function readTls({ tlsCert, tlsKey }: ServerFlags, cwd: string) {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be used together.', {
      hint: 'Give both, or neither for plain http.',
    });
  }
  if (!tlsCert || !tlsKey) return undefined;
  return { cert: readPem(tlsCert, cwd), key: readPem(tlsKey, cwd) };
}

/** A chain of certificates is a few kilobytes. */
const maxPemBytes = 1024 * 1024;

function readPem(file: string, cwd: string): string {
  try {
    return readSmallFile(resolve(cwd, file), maxPemBytes).toString('utf8');
  } catch (cause) {
    throw new UsageError(`Cannot read ${printable(file)}: ${(cause as Error).message}.`, {
      hint: '--tls-cert and --tls-key take PEM files.',
      cause,
    });
  }
}

/**
 * Formats a line of the request log: `12:00:01 POST /status-reporting 200 1.2 ms 310 B buyer`. A
 * refused call has its reason after the status.
 */
function requestLine(request: LoggedRequest): string {
  const { time, method, path, status, why, elapsedMs, sizeBytes, account = '-', faults } = request;
  const reason = status >= 400 && why !== undefined ? ` ${printable(why)}` : '';
  const faultNames = faults.length > 0 ? ` [${faults.join(', ')}]` : '';
  const facts = `${elapsedMs} ms ${sizeBytes} B ${account}${faultNames}`;
  return `${time.slice(11, 19)} ${method} ${path} ${status || 'cut'}${reason} ${facts}`;
}

/** Maximum number of requests shown for a failed command. */
const requestsShown = 50;

/** HTTP requests of a command, kept apart from its own stderr. */
class CommandLog {
  readonly #console: Context['console'];
  readonly #lines: string[] = [];
  #count = 0;

  constructor(console: Context['console']) {
    this.#console = console;
  }

  /** Keeps a line, which `-v` shows at once. */
  add(line: string): void {
    this.#count += 1;
    this.#lines.push(line);
    if (this.#lines.length > requestsShown) this.#lines.shift();
    this.#console.trace(1, `local-server: ${line}`);
  }

  /** Shows the latest requests of a failed command, unless `-v` has shown them. */
  showFailure(exitCode: number): void {
    if (this.#console.verbosity > 0 || this.#count === 0) return;

    const latest = this.#lines.length < this.#count ? `, the latest ${this.#lines.length}` : '';
    const requests = formatPlural(this.#count, 'request');
    this.#console.note(`local-server: exit code ${exitCode} after ${requests}${latest}:`);
    for (const line of this.#lines) this.#console.note(`  ${line}`);
  }
}

/**
 * Runs a command against a new server, with the settings of the server's first account in its
 * environment. Returns its exit code (128 + n for a signal, as shells do). Requests are shown if
 * the command fails, or with `-v`.
 */
async function exec(
  context: Context,
  options: OptionsOf<typeof startFlags>,
  command: readonly string[],
): Promise<number> {
  const { host } = context;
  const [program = '', ...args] = command;
  if (program.trim() === '') {
    throw new UsageError('exec needs a command.', { hint: 'For example: exec -- npm test' });
  }
  if (!existsSync(host.cwd)) {
    throw new UsageError(`Cannot run ${program}: the working folder was deleted.`, {
      hint: 'Change to another folder.',
    });
  }

  const settingsFolder = mkdtempSync(join(tmpdir(), 'adreport-exec-'));
  try {
    return await execBesideServer(context, options, { program, args, settingsFolder });
  } finally {
    rmSync(settingsFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface ExecutedCommand {
  readonly program: string;
  readonly args: readonly string[];

  /** An empty folder. */
  readonly settingsFolder: string;
}

async function execBesideServer(
  context: Context,
  options: OptionsOf<typeof startFlags>,
  { program, args, settingsFolder }: ExecutedCommand,
): Promise<number> {
  const { host } = context;
  const log = new CommandLog(context.console);
  const flags = { ...options, port: 0 };
  const server = await startFromFlags(context, flags, (line) => log.add(line));

  try {
    const env = { ...host.env, ...environmentFor(server, host.env, settingsFolder) };
    if (options.tlsCert) env.NODE_EXTRA_CA_CERTS = resolve(host.cwd, options.tlsCert);

    const exitCode = await runToEnd({ program, args, env, host });
    if (exitCode !== 0 && !host.signal.aborted) log.showFailure(exitCode);
    return exitCode;
  } finally {
    await server.close();
  }
}

/**
 * Returns the variables of a command that must reach the server and nothing else: the first
 * account, an empty settings folder without stored accounts, and no proxy for the server's host.
 */
function environmentFor(
  { url, accounts }: LocalServer,
  env: NodeJS.ProcessEnv,
  settingsFolder: string,
): NodeJS.ProcessEnv {
  const [account] = accounts;
  // Clients read one of the two names, and some of them only if the other is not set.
  const noProxy = withoutProxyFor(url, env.no_proxy || env.NO_PROXY);

  return {
    ADREPORT_BASE_URL: url,
    ADREPORT_TOKEN: account?.token,
    ADREPORT_EMAIL: account?.email,
    ADREPORT_PASSWORD: account?.password,
    ADREPORT_PROFILE: account?.profile,
    ADREPORT_ACCOUNT: undefined,
    ADREPORT_CONFIG_DIR: settingsFolder,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
  };
}

/** Adds the host of a URL to a value of `NO_PROXY`. */
function withoutProxyFor(url: string, others = ''): string {
  // `*` means every host only if it is the whole value.
  if (others.trim() === '*') return others;

  const { hostname } = new URL(url);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  // Clients write an IPv6 address with or without brackets.
  const hosts = new Set([others, hostname, address].filter((name) => name !== ''));
  return [...hosts].join(',');
}

interface ChildProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly host: Context['host'];
}

/**
 * Runs a program and ends every process that it started. It gets its own process group, which is
 * signalled as a whole, unless it reads from a terminal: then it must stay in ours, where Ctrl-C
 * reaches it.
 */
async function runToEnd(program: ChildProgram): Promise<number> {
  const { host } = program;
  const isGroup = process.platform !== 'win32' && host.stdin.isTTY !== true;
  const child = await start(program, isGroup);

  /** Returns true if a process was signalled. */
  const signalAll = (signal: NodeJS.Signals | 0): boolean => {
    try {
      if (!isGroup || child.pid === undefined) return child.kill(signal);
      return process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  const passOn = (): void => {
    const { reason } = host.signal;
    const isInterrupt = reason instanceof InterruptedError && reason.exitCode === 130;
    if (!isInterrupt || isGroup) signalAll(isInterrupt ? 'SIGINT' : 'SIGTERM');
  };
  // A second signal ends this process at once, and the command with it.
  const endWithUs = (): void => void signalAll('SIGKILL');
  host.signal.addEventListener('abort', passOn);
  process.once('exit', endWithUs);

  try {
    if (host.signal.aborted) passOn();
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals];
    return code ?? 128 + constants.signals[killedBy];
  } finally {
    host.signal.removeEventListener('abort', passOn);
    if (isGroup) await endGroup(signalAll);
    process.removeListener('exit', endWithUs);
  }
}

/** How long remaining processes may run before they are killed, in milliseconds. */
const graceMs = 2_000;

/**
 * Ends a process group whose leader has ended. A process between fork and exec can lose a signal to
 * its parent's handler, so SIGKILL follows.
 */
async function endGroup(signalAll: (signal: NodeJS.Signals | 0) => boolean): Promise<void> {
  const deadline = performance.now() + graceMs;
  let isLeft = signalAll('SIGTERM');
  while (isLeft && performance.now() < deadline) {
    await delay(20);
    isLeft = signalAll(0);
  }
  if (isLeft) signalAll('SIGKILL');
}

/** Throws `UsageError` if the program does not exist. */
async function start(
  { program, args, env, host }: ChildProgram,
  detached: boolean,
): Promise<ChildProcess> {
  const options = { cwd: host.cwd, env, detached, stdio: 'inherit' } as const;
  try {
    const child = spawn(program, args, options);
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const mayBeScript = ['ENOENT', 'EINVAL'].includes(codeOf(cause) ?? '');
    if (process.platform !== 'win32' || !mayBeScript) {
      const isUnknown = codeOf(cause) === 'ENOENT';
      const reason = isUnknown ? 'there is no such program' : (cause as Error).message;
      throw new UsageError(`Cannot run ${program}: ${reason}.`, {
        cause,
        hint: 'Check its name, or give its path. Shell aliases do not work here.',
      });
    }
    // Programs installed by npm are scripts on Windows (npm.cmd), which only cmd runs.
    const words = [program, ...args].map((word) => quoteForShell(word, 'win32'));
    return spawn(words.join(' '), { ...options, shell: true });
  }
}

/** Writes the sample data of a period as fixtures, and lists the files. */
async function exportData(
  { console, host, flags }: Context,
  { period, ...world }: { readonly seed: number; readonly scale: number; readonly period: string },
  directory: string,
): Promise<void> {
  const { builtInFixtures } = await import('../server/world/built-in.ts');
  const { exportFixtures } = await import('../server/fixtures/export.ts');
  const { since, until } = resolvePeriod(
    { period },
    { zone: defaultZone, nowMs: host.wallClock() },
  );
  const data = { fixtures: builtInFixtures(world), since, until };
  const { files, facts } = await exportFixtures(resolve(host.cwd, directory), data);

  if (flags.json) await console.result(JSON.stringify({ files, facts, since, until }));
  else await console.result(files.join('\n'));
  console.note(
    `Wrote ${facts} facts. Serve them with: adreport local-server --fixtures ${pathWord(directory, host.platform)}`,
  );
}
