import type { Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { textOf } from '../help/index.ts';
import { FlagOption, longNameOf, seeHelp } from '../plan/flags/flag.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';

/** Commands of other programs, with ours. */
const otherCommands: Readonly<Record<string, string>> = {
  auth: 'login',
  export: 'run',
  fetch: 'run',
  get: 'run',
  metrics: 'fields',
  dimensions: 'fields',
  breakdowns: 'fields',
  mock: 'local-server',
  open: 'view',
  pull: 'run',
  query: 'run',
  server: 'local-server',
  serve: 'local-server',
  show: 'view',
  signin: 'login',
  verify: 'check',
  wait: 'status',
};

/** Words that are not topics, with the command that answers them. */
const otherTopics: Readonly<Record<string, string>> = {
  metrics: 'adreport fields',
  dimensions: 'adreport fields',
  breakdowns: 'adreport fields',
  fields: 'adreport fields',
  excel: 'adreport help formats',
  csv: 'adreport help formats',
  xlsx: 'adreport help formats',
  parquet: 'adreport help formats',
  pdf: 'adreport help pages',
  html: 'adreport help pages',
  dates: 'adreport help periods',
  date: 'adreport help periods',
  windows: 'adreport help periods',
  weeks: 'adreport help periods',
  timezone: 'adreport help periods',
  airflow: 'adreport help schedulers',
  containers: 'adreport help schedulers',
  docker: 'adreport help schedulers',
  kubernetes: 'adreport help schedulers',
  backfill: 'adreport help folders',
  sql: 'adreport help databases',
  bucket: 'adreport help databases',
  s3: 'adreport help databases',
  sheets: 'adreport help databases',
  proxy: 'adreport help environment',
};

/** Flags of other programs' help, for a list of the commands. */
const listFlags: readonly string[] = ['--all', '-a', '--commands', '--list'];

/** Flags of `view` that `run` lacks, because it writes every row. */
const flagsOfView: readonly string[] = ['--top', '--sort', '--chart', '--series'];

/** Flags of `run` that are filters of `view`. */
const filtersOfView: Readonly<Record<string, string>> = {
  '--campaign': 'campaign',
  '--country': 'country',
  '--ad-unit': 'adunit',
  '--advertiser': 'advertiser',
};

/** Flags of `local-server` with a value. The server of `--local` has their defaults. */
const flagsOfServer: readonly string[] = [
  ...['--fixtures', '--seed', '--scale', '--restate', '--now', '--fault'],
  ...['--delay', '--polls', '--token-ttl', '--report-ttl', '--rate-limit'],
];

/** The command that answers a word that is not a topic; `undefined` if unknown. */
export function helpCommandFor(word: string): string | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(otherTopics, name) ? otherTopics[name] : undefined;
}

/** A word of a command line that a command does not know. */
interface UnknownWord {
  readonly command: Command;
  readonly word: string;

  /** The whole command line. */
  readonly argv: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** The words after the unknown one. */
function wordsAfter({ word, argv }: UnknownWord): readonly string[] {
  return argv.slice(argv.indexOf(word) + 1);
}

/** The error for a word that is not a command, with the intended command line. */
export function unknownCommand(unknown: UnknownWord): UsageError {
  const { command, word, platform } = unknown;
  const names = command.commands.map((each) => each.name());
  if (command.parent) {
    const name = `${command.name()} ${word}`;
    const hint = didYouMean(nearest(word, names), `Its commands are ${names.join(', ')}.`);
    return new UsageError(`There is no command “${printable(name)}”.`, { hint });
  }

  const message = `There is no command “${printable(word)}”.`;
  if (Object.hasOwn(otherCommands, word)) {
    const words = wordsAfter(unknown).map((each) => shellWord(each, platform));
    const hint = `Use: ${['adreport', otherCommands[word] ?? '', ...words].join(' ')}`;
    return new UsageError(message, { hint });
  }
  if (textOf(word) !== undefined) {
    return new UsageError(message, { hint: `It is a topic: adreport help ${word}` });
  }
  return new UsageError(message, {
    hint: didYouMean(nearest(word, names), 'See: adreport help'),
  });
}

/**
 * The error for a word that is not a flag, with the intended one.
 *
 * @param known the flags that the command takes
 */
export function unknownFlag(
  unknown: UnknownWord & { readonly known: readonly Option[] },
): UsageError {
  const { command, word, known, platform } = unknown;
  const [name = '', ownValue] = word.split(/=(.*)/s);
  const isGroup = command.commands.length > 0 && command.options.length === 0;
  if (isGroup) {
    const names = command.commands.map((each) => each.name());
    return new UsageError(`adreport ${command.name()} needs one of its commands before flags.`, {
      hint: `Its commands are ${names.join(', ')}.`,
    });
  }

  const message = `There is no flag ${printable(name)}.`;
  const about = { flag: name };
  if (command.name() === 'help' && listFlags.includes(name)) {
    return new UsageError(message, { about, hint: 'Use: adreport help commands' });
  }

  const inServer = hintWithServer(unknown, name);
  if (inServer !== undefined) return new UsageError(message, { about, hint: inServer });

  const value = ownValue ?? wordsAfter(unknown)[0] ?? '';
  const elsewhere = hintOnOtherCommand(command.name(), { name, value, platform });
  if (elsewhere !== undefined) return new UsageError(message, { about, hint: elsewhere });

  for (const option of command.options) {
    if (!(option instanceof FlagOption) || !option.flag.otherNames?.includes(name)) continue;
    const flag = longNameOf(option.flag);
    const words = value === '' ? flag : `${flag} ${shellWord(value, platform)}`;
    return new UsageError(message, { about, hint: `Use: ${words}` });
  }

  const flags = ['--help', ...known.flatMap(({ long }) => long ?? [])];
  const guess = nearest(withoutDashes(name), flags.map(withoutDashes));
  return new UsageError(message, { about, hint: didYouMean(guess && `--${guess}`, seeHelp) });
}

/**
 * The command line that runs against a server with its own flag, instead of `--local`; `undefined`
 * for other flags.
 */
function hintWithServer({ word, argv, platform }: UnknownWord, name: string): string | undefined {
  if (!argv.includes('--local') || !flagsOfServer.includes(name)) return undefined;

  const at = argv.indexOf(word);
  const flag = argv.slice(at, word.includes('=') ? at + 1 : at + 2);
  const others = [...argv.slice(0, at), ...argv.slice(at + flag.length)];
  const command = others.filter((other) => other !== '--local');
  const words = ['local-server', ...flag, 'exec', '--', 'adreport', ...command];
  return `Use: adreport ${words.map((part) => shellWord(part, platform)).join(' ')}`;
}

/** Dashes would count as letters that are right. */
function withoutDashes(flag: string): string {
  return flag.replace(/^--?/, '');
}

interface TypedFlag {
  readonly name: string;
  readonly value: string;
  readonly platform: NodeJS.Platform;
}

/** How to do with `view` what a flag of the other command does; `undefined` for other flags. */
function hintOnOtherCommand(
  command: string,
  { name, value, platform }: TypedFlag,
): string | undefined {
  if (command === 'run' && flagsOfView.includes(name)) {
    const words = value === '' ? name : `${name} ${shellWord(value, platform)}`;
    return `Use it with the file: adreport view report.csv --by CAMPAIGN ${words}`;
  }
  const filter = command === 'view' ? filtersOfView[name] : undefined;
  return filter && `Use: --filter ${shellWord(`${filter}=${value}`, platform)}`;
}
