import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { collect, parseCount, parseDurationFlag, parsePositive } from '../app/flags.ts';
import type { Context } from '../context.ts';
import { defaultZone } from '../contract/messages.ts';
import { codeOf, UsageError } from '../errors.ts';
import { resolveWindow } from '../report/window/window-flags.ts';
import type { LoggedRequest } from '../server/local-server.ts';
import type { LocalServer, LocalServerOptions as ServerOptions } from '../server/start.ts';
import { formatPlural } from '../text/quantity.ts';
import { type CommandBuilder, declareCommand } from './command.ts';
import { runToEnd } from './run-program.ts';

/** The server that the flags describe (`cli.md`, local-server). */
interface LocalServerOptions {
  /** An address; of IPv6 without brackets. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly fixtures?: string;
  readonly seed: number;
  /** How many times the facts there are. */
  readonly scale: number;
  /** Milliseconds that a report takes; instead of `polls` and `manual`. */
  readonly delay?: number;
  /** The status call at which a report is ready. */
  readonly polls?: number;
  readonly manual?: boolean;
  /** Milliseconds from the last call on. */
  readonly tokenTtl: number;
  /** Milliseconds. */
  readonly reportTtl: number;
  /** Days after which the conversions and the revenue of a day are complete. */
  readonly restate: number;
  /** Calls a second, by account. */
  readonly rateLimit?: number;
  readonly lenient?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly fault?: readonly string[];
}

export const localServerCommand: CommandBuilder = (perform) => {
  const command = declareCommand('local-server', 'the service itself, from fixture data, on this machine', [
    ['adreport local-server', 'on port 8787, until Ctrl-C'],
    ['adreport local-server --port 0 --json', 'any free port, told as JSON'],
    ["adreport local-server --delay 30s --fault 'status:503:times=3'", 'slow, and unsteady'],
  ])
    .addOption(new Option('--host <address>', 'address to listen on').argParser(parseHost).default('127.0.0.1'))
    .addOption(new Option('--port <n>', 'port to listen on; 0 takes a free one').argParser(parsePort).default(8787));
  // The server's own flags hold for the commands below it too.
  const exec = declareCommand(
    'exec <command...>',
    'start the server, run a command against it, stop; exits as the command did',
    [
      ['adreport local-server exec -- adreport whoami', 'ADREPORT_BASE_URL and ADREPORT_TOKEN are set'],
      ["adreport local-server --delay 0s exec -- sh -c 'echo $ADREPORT_BASE_URL'", 'any command'],
    ],
  );
  const validate = declareCommand(
    'validate <dir>',
    'check a folder of data for --fixtures; names file, line and column of a mistake',
    [
      ['adreport local-server validate ./fixtures', 'exit 2 if the data are wrong'],
      ['adreport local-server validate ./fixtures --json', 'what is in it, as JSON'],
    ],
  );
  const period = '--period <period>';
  const exportData = declareCommand('export <dir>', 'write the built-in data of a period as a folder for --fixtures', [
    ['adreport local-server export ./fixtures --period last-week', 'data to edit'],
    ['adreport local-server --fixtures ./fixtures', 'and to serve'],
  ]).requiredOption(period, 'the days to write, in Europe/Paris: last-7d, 2026-10, 2026-11-01..2026-11-15');
  return addServerFlags(command)
    .addCommand(exec.action(perform(execWithLocalServer)))
    .addCommand(validate.action(perform(validateFixtures)))
    .addCommand(exportData.action(perform(exportFixtureData)))
    .action(perform(localServer));
};

function addServerFlags(command: Command): Command {
  return command
    .optionsGroup('Data:')
    .option('--fixtures <dir>', 'serve the data of this folder instead of the built-in')
    .option('--seed <n>', 'of the built-in data', parseCount, 1)
    .option('--scale <n>', 'times the facts', parsePositive, 1)
    .option(
      '--restate <days>',
      'conversions and revenue of a day are complete only so many days after it',
      parseCount,
      0,
    )
    .optionsGroup('Reports and tokens:')
    .addOption(durationOption('--delay <duration>', 'how long a report takes (default: 2s)'))
    .option('--polls <n>', 'a report is ready at the n-th status call', parsePositive)
    .option('--manual', 'a report is ready when the admin call says so')
    .addOption(
      durationOption('--token-ttl <duration>', 'life of a token, extended by each call').default(7_200_000, '2h'),
    )
    .addOption(durationOption('--report-ttl <duration>', 'life of a report').default(86_400_000, '24h'))
    .optionsGroup('Behaviour:')
    .option('--rate-limit <n/s>', 'at most n calls a second and account, else 429', parseRate)
    .option('--lenient', 'ignore unknown parameters instead of refusing them')
    .option('--tls-cert <file>', 'serve https with this certificate')
    .option('--tls-key <file>', 'and this key')
    .option('--fault <spec>', 'ENDPOINT:KIND[:key=value…], repeatable, e.g. status:503:times=3', collect);
}

function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(parseDurationFlag);
}

/** An address; of IPv6, also as it stands in a URL. */
function parseHost(value: string): string {
  const host = value.replace(/^\[(.*)\]$/, '$1');
  // An empty one would stand for all addresses.
  if (host === '') throw new InvalidArgumentError('Give an address, such as 127.0.0.1.');
  return host;
}

function parsePort(value: string): number {
  if (/^\d+$/.test(value) && Number(value) > 65_535) throw new InvalidArgumentError('The highest port is 65535.');
  return parseCount(value);
}

function parseRate(value: string): number {
  return parsePositive(value.replace(/\/s$/, ''));
}

/** Serves until Ctrl-C or SIGTERM, which end it cleanly: that is what it is for, so exit 0. */
async function localServer(context: Context, options: LocalServerOptions): Promise<void> {
  const server = await startFromFlags(context, options, { host: options.host, port: options.port });
  try {
    await announce(context, server);
    await aborted(context.host.signal);
  } finally {
    await server.close();
  }
}

/** Starts the server that the flags describe; its request log goes to stderr. */
async function startFromFlags(
  context: Context,
  options: LocalServerOptions,
  address: { readonly host: string; readonly port: number },
): Promise<LocalServer> {
  if ([options.delay, options.polls, options.manual].filter((value) => value !== undefined).length > 1) {
    throw new UsageError('--delay, --polls and --manual exclude each other: each says how long a report takes.');
  }
  if ((options.tlsCert === undefined) !== (options.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key go together.', { hint: 'Give both, or neither for plain http.' });
  }
  const { startLocalServer } = await import('../server/start.ts');
  const server = await startLocalServer(await serverOptions(context, options, address));
  if (!isLoopback(address.host)) {
    context.console.warn(
      `The server listens on ${address.host}: every machine that reaches this one can use it, admin calls included.`,
    );
  }
  return server;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

async function serverOptions(
  { console, host }: Context,
  options: LocalServerOptions,
  address: { readonly host: string; readonly port: number },
): Promise<ServerOptions> {
  const { fixtures, delay, polls, manual, rateLimit, lenient, tlsCert, tlsKey, fault } = options;
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? undefined
      : { cert: await readPem(host.cwd, tlsCert, '--tls-cert'), key: await readPem(host.cwd, tlsKey, '--tls-key') };
  return {
    ...address,
    seed: options.seed,
    scale: options.scale,
    tokenTtlMs: options.tokenTtl,
    reportTtlMs: options.reportTtl,
    restateDays: options.restate,
    ...(fixtures === undefined ? {} : { fixtures: resolve(host.cwd, fixtures) }),
    ...(delay === undefined ? {} : { delayMs: delay }),
    ...(polls === undefined ? {} : { polls }),
    ...(manual ? { manual } : {}),
    ...(rateLimit === undefined ? {} : { rateLimitPerSecond: rateLimit }),
    ...(lenient ? { lenient } : {}),
    ...(tls ? { tls } : {}),
    ...(fault ? { faults: fault } : {}),
    onNotice: console.note,
    onRequest: (request) => console.note(requestLine(request)),
  };
}

async function readPem(cwd: string, file: string, flag: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    const why = codeOf(cause) === 'ENOENT' ? 'there is no such file' : (codeOf(cause) ?? cause);
    throw new UsageError(`${flag}: ${file} could not be read: ${why}.`, { cause });
  }
}

async function announce({ console, flags }: Context, server: LocalServer): Promise<void> {
  if (flags.json) {
    const { url } = server;
    const accounts = server.accounts.map(({ name: _name, ...account }) => account);
    return console.result(JSON.stringify({ event: 'listening', url, pid: process.pid, accounts }));
  }
  await console.result(`adreport local-server listening on ${server.url}`);
  for (const { email, password, profile, admin, token } of server.accounts) {
    console.note(`  ${email}  password ${password}  token ${token}  (${profile}${admin ? ', admin' : ''})`);
  }
  console.note(`  Try: curl -H 'Authorization: ${server.accounts[0]?.token}' ${server.url}/campaigns`);
  console.note(`  Or open ${server.url}/ in a browser. Ctrl-C ends it.`);
}

/** `12:00:01 POST /status-reporting 200 1.2 ms 310 B buyer` */
function requestLine({ time, method, path, status, elapsedMs, sizeBytes, account, faults }: LoggedRequest): string {
  const struck = faults.length > 0 ? ` [${faults.join(', ')}]` : '';
  const answer = status === 0 ? 'cut' : status;
  return `${time.slice(11, 19)} ${method} ${path} ${answer} ${elapsedMs} ms ${sizeBytes} B ${account ?? '-'}${struck}`;
}

/** Resolves when the program is asked to end. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Runs a command against a server of its own, and hands its exit code on (128 + n for a signal, as shells do). */
async function execWithLocalServer(
  context: Context,
  options: LocalServerOptions,
  command: readonly string[],
): Promise<void> {
  const [program = '', ...args] = command;
  const server = await startFromFlags(context, options, { host: options.host, port: 0 });
  try {
    const env = { ...context.host.env, ...serviceEnvironment(server, options, context.host) };
    context.exitCode = await runToEnd(program, args, env, context.host);
  } finally {
    await server.close();
  }
}

/** The settings of the first account, in place of whatever service the environment named before. */
function serviceEnvironment(
  { url, accounts }: LocalServer,
  { tlsCert }: LocalServerOptions,
  { cwd }: Context['host'],
): NodeJS.ProcessEnv {
  const [account] = accounts;
  return {
    ADREPORT_BASE_URL: url,
    ADREPORT_TOKEN: account?.token,
    ADREPORT_EMAIL: account?.email,
    ADREPORT_PASSWORD: account?.password,
    ADREPORT_PROFILE: account?.profile,
    ADREPORT_ACCOUNT: undefined,
    ...(tlsCert === undefined ? {} : { NODE_EXTRA_CA_CERTS: resolve(cwd, tlsCert) }),
  };
}

/** Reads a folder of data as the server would, and says what is in it. Throws `UsageError` for the first mistake. */
async function validateFixtures(context: Context, _options: unknown, directory: string): Promise<void> {
  const { loadFixtures } = await import('../server/fixtures/load.ts');
  const { accounts, campaigns, facts } = await loadFixtures(resolve(context.host.cwd, directory));
  const hasFacts = facts.lastHour >= facts.firstHour;
  const [first, last] = hasFacts ? [hourText(facts.firstHour), hourText(facts.lastHour)] : [null, null];
  if (context.flags.json) {
    const counts = { accounts: accounts.length, campaigns: campaigns.length };
    return context.console.result(JSON.stringify({ directory, ...counts, firstHour: first, lastHour: last }));
  }
  const span = hasFacts ? `facts from ${first} to ${last}` : 'no facts';
  const counts = [formatPlural(accounts.length, 'account'), formatPlural(campaigns.length, 'campaign')].join(', ');
  await context.console.result(`${directory}: ${counts}, ${span}`);
}

/** An hour, counted from 1970 on, as `2026-11-20T12:00:00Z`. */
function hourText(hour: number): string {
  return new Date(hour * 3_600_000).toISOString().replace('.000', '');
}

interface ExportOptions {
  readonly period: string;
  readonly seed: number;
  readonly scale: number;
}

/** Writes the built-in data of a period as files that `--fixtures` serves, and names them. */
async function exportFixtureData(
  context: Context,
  { period, seed, scale }: ExportOptions,
  directory: string,
): Promise<void> {
  const { console, host, flags } = context;
  const [{ builtInFixtures }, { exportFixtures }] = await Promise.all([
    import('../server/world/built-in.ts'),
    import('../server/fixtures/export.ts'),
  ]);
  const { since, until } = resolveWindow({ period, zone: defaultZone, nowMs: host.wallClock() });
  const fixtures = builtInFixtures({ seed, scale });
  const { files, facts } = await exportFixtures(resolve(host.cwd, directory), { fixtures, since, until });
  await console.result(flags.json ? JSON.stringify({ files, facts, since, until }) : files.join('\n'));
  console.note(`${facts} facts written. Serve them with: adreport local-server --fixtures ${directory}`);
}
