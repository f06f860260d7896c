import { type Command, InvalidArgumentError, Option } from 'commander';
import { addSubcommand, type CommandBuilder, declareCommand } from './command.ts';
import { collect, parseCount, parseDurationFlag, parsePositive } from './flags.ts';
import { localServerExecCommand } from './local-server/exec.ts';
import { localServerExportCommand } from './local-server/export.ts';
import { localServerValidateCommand } from './local-server/validate.ts';

/** The server that the flags describe (`cli.md`, local-server). */
export interface LocalServerOptions {
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
  const command = declareCommand('local-server', [
    ['adreport local-server', 'on port 8787, until Ctrl-C'],
    ['adreport local-server --port 0 --json', 'any free port, told as JSON'],
    ["adreport local-server --delay 30s --fault 'status:503:times=3'", 'slow, and unsteady'],
  ])
    .addOption(new Option('--host <address>', 'address to listen on').argParser(parseHost).default('127.0.0.1'))
    .addOption(new Option('--port <n>', 'port to listen on; 0 takes a free one').argParser(parsePort).default(8787));
  addServerFlags(command);
  addSubcommand(
    command,
    'start the server, run a command against it, stop; exits as the command did',
    localServerExecCommand(perform),
  );
  addSubcommand(
    command,
    'check a folder of data for --fixtures; names file, line and column of a mistake',
    localServerValidateCommand(perform),
  );
  addSubcommand(
    command,
    'write the built-in data of a period as a folder for --fixtures',
    localServerExportCommand(perform),
  );
  return command.action(perform(async () => (await import('./actions/local-server.ts')).localServer));
};

function addServerFlags(command: Command): void {
  command
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
