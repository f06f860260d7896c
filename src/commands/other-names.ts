import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import { textOf } from '../help/index.ts';
import { FlagOption, longNameOf } from '../plan/flags/flag.ts';
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

/** The command that answers a word that is not a topic; `undefined` if unknown. */
export function helpCommandFor(word: string): string | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(otherTopics, name) ? otherTopics[name] : undefined;
}

/**
 * The error for a command or flag that has another name here, with the intended command line;
 * `undefined` for any other command line.
 */
export function errorForOtherName(
  program: Command,
  argv: readonly string[],
  platform: NodeJS.Platform,
): UsageError | undefined {
  const at = argv.findIndex((word) => !word.startsWith('-'));
  const word = argv[at];
  if (word === undefined) return undefined;

  const command = program.commands.find((each) => each.name() === word);
  if (command) return errorOfFlag(command, argv.slice(at + 1), platform);

  const message = `There is no command “${printable(word)}”.`;
  if (Object.hasOwn(otherCommands, word)) {
    const words = [
      otherCommands[word] ?? '',
      ...argv.slice(at + 1).map((each) => shellWord(each, platform)),
    ];
    return new UsageError(message, { hint: `Use: adreport ${words.join(' ')}` });
  }
  if (textOf(word) !== undefined) {
    return new UsageError(message, { hint: `It is a topic: adreport help ${word}` });
  }
  const names = program.commands.map((each) => each.name());
  return new UsageError(message, {
    hint: didYouMean(nearest(word, names), 'See: adreport help'),
  });
}

function errorOfFlag(
  command: Command,
  words: readonly string[],
  platform: NodeJS.Platform,
): UsageError | undefined {
  const child = command.commands.find((each) => each.name() === words[0]);
  if (child) return errorOfFlag(child, words.slice(1), platform);

  const isGroup = command.commands.length > 0 && command.options.length === 0;
  if (isGroup && words[0]?.startsWith('-')) {
    const names = command.commands.map((each) => each.name());
    return new UsageError(`adreport ${command.name()} needs one of its commands before flags.`, {
      hint: `Its commands are ${names.join(', ')}.`,
    });
  }

  const listFlag = words.find((word) => listFlags.includes(word));
  if (command.name() === 'help' && listFlag !== undefined) {
    return new UsageError(`There is no flag ${listFlag}.`, { hint: 'Use: adreport help commands' });
  }

  for (const [index, word] of words.entries()) {
    const [name = '', ownValue] = word.split(/=(.*)/s);
    const option = command.options.find(
      (each) => each instanceof FlagOption && each.flag.otherNames?.includes(name),
    );
    const isFlagHere = command.options.some(({ long }) => long === name);
    if (!(option instanceof FlagOption) || isFlagHere) continue;

    const value = ownValue ?? words[index + 1] ?? '';
    const flag = longNameOf(option.flag);
    return new UsageError(`There is no flag ${name}.`, {
      hint: `Use: ${value === '' ? flag : `${flag} ${shellWord(value, platform)}`}`,
    });
  }
  return undefined;
}
