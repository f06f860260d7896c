import { resolve } from 'node:path';
import type { Command, Option } from 'commander';
import type { GlobalFlags } from '../app/flags.ts';
import { savedKeys } from '../app/saved-reports.ts';
import { choicesOf, storableNames } from '../config/change-setting.ts';
import { findProjectFile, readProjectFile } from '../config/project-file.ts';
import { settingNames } from '../config/settings.ts';
import { noSettings, openStore, type StoredSettings } from '../config/store.ts';
import type { Context } from '../context.ts';
import { profiles, vocabularyOf } from '../contract/vocabulary.ts';
import { summaryOf, topics } from '../help/index.ts';
import { formatNames, formats } from '../output/formats/index.ts';
import { printable } from '../text/printable.ts';
import { type CommandBuilder, declareCommand, findCommand } from './command.ts';

/** What the shells' scripts call while a command line is being typed; the words come after `--`. */
export const completeCommand: CommandBuilder = (perform) => {
  const command = declareCommand(
    'complete <shell> [words...]',
    'the completions of a command line, for the shell scripts',
    [
      ["adreport complete fish -- run --by ''", 'the breakdowns, with their meanings'],
      ['adreport complete bash -- run --format nd', 'the formats that begin so'],
    ],
  );
  return command.action(
    perform((context: Context, _options: GlobalFlags, shell: string, words: readonly string[]) =>
      complete(context, command.parent as Command, shell, words),
    ),
  );
};

interface Candidate {
  readonly value: string;
  readonly meaning?: string;
}

interface Values {
  /** `open`: more may follow in the same word; `files` and `folders` are the shell's own to complete. */
  readonly kind: 'words' | 'open' | 'files' | 'folders';
  readonly candidates: readonly Candidate[];
}

/** Where on a command line the next word stands. */
interface Place {
  readonly command: Command;
  /** Those of the command and of the ones above it. */
  readonly options: readonly Option[];
  /** The flag that waits for its value. */
  readonly pending: Option | undefined;
  /** The flags that stand before, by their attribute names. */
  readonly given: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  /** Whether `--` stands before. */
  readonly isPastFlags: boolean;
  readonly stored: StoredSettings;
}

/**
 * Prints what the last word may become, for the script of a shell: `words`, `open`, `files` or `folders` on the first
 * line, then a candidate a line. It asks this machine alone, and fails in silence: a person is in the middle of a line.
 */
async function complete(context: Context, program: Command, shell: string, words: readonly string[]): Promise<void> {
  const raw = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const isBash = shell === 'bash';
  const current = isBash ? unquote(raw) : raw;
  try {
    const stored = await readStored(context);
    const place = findPlace(program, isBash ? before.map(unquote) : before, stored);
    const { kind, candidates } = await valuesAt(context, place, current);
    const matching = candidates.filter(
      ({ value }) => value.toLowerCase().startsWith(current.toLowerCase()) && printable(value) === value,
    );
    const lines = matching.map(({ value, meaning = '' }) =>
      isBash
        ? forBash(value, raw, kind, context.host.env.ADREPORT_WORDBREAKS ?? '')
        : `${value}\t${printable(meaning)}`,
    );
    await context.console.result([kind, ...lines].join('\n'));
  } catch (error) {
    context.console.trace(1, String(error));
  }
}

/** Reads the words before the one that is being typed, as the parser would, but without minding what is wrong. */
function findPlace(program: Command, words: readonly string[], stored: StoredSettings): Place {
  let command = program;
  let pending: Option | undefined;
  let isPastFlags = false;
  const given = new Map<string, string>();
  const operands: string[] = [];
  for (const word of words) {
    if (pending) {
      given.set(pending.attributeName(), word);
      pending = undefined;
    } else if (word === '--' && !isPastFlags) {
      isPastFlags = true;
    } else if (word.startsWith('-') && word.length > 1 && !isPastFlags) {
      const [flag, ...values] = word.split('=');
      const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
      if (option?.required && values.length === 0) pending = option;
      else if (option) given.set(option.attributeName(), values.join('='));
    } else {
      const child = operands.length === 0 && !isPastFlags ? findCommand(command, [word]) : undefined;
      if (child) command = child;
      else operands.push(word);
    }
  }
  return { command, options: optionsOf(command), pending, given, operands, stored, isPastFlags };
}

function optionsOf({ options, parent }: Command): Option[] {
  return [...(options as Option[]), ...(parent ? optionsOf(parent as Command) : [])];
}

async function valuesAt(context: Context, place: Place, current: string): Promise<Values> {
  const { command, pending, operands, options, isPastFlags } = place;
  if (pending) return optionValues(context, place, pending, current);
  const [, flag = '', rest = ''] = /^(--[\w-]+=)(.*)$/s.exec(current) ?? [];
  const option = options.find(({ long }) => `${long}=` === flag);
  if (option && !isPastFlags) {
    const { kind, candidates } = optionValues(context, place, option, rest);
    return { kind, candidates: candidates.map(({ value, ...more }) => ({ ...more, value: flag + value })) };
  }
  const flags = options.flatMap(({ hidden, long, description }) =>
    hidden || !long ? [] : [{ value: long, meaning: description }],
  );
  if (current.startsWith('-') && !isPastFlags) return words(flags);
  const commands = operands.length > 0 ? [] : command.createHelp().visibleCommands(command);
  const subcommands = commands.map((child) => ({ value: child.name(), meaning: child.summary() }));
  const values = await operandValues(context, place);
  const candidates = [...subcommands, ...values.candidates];
  if (candidates.length > 0 || values.kind !== 'words') return { kind: values.kind, candidates };
  return words(isPastFlags ? [] : flags);
}

function words(candidates: readonly Candidate[]): Values {
  return { kind: 'words', candidates };
}

/** Flags and commands whose values are files or folders, which the shell itself completes. */
const files = ['file', 'output', 'tlsCert', 'tlsKey', 'view', 'local-server exec'];
const folders = ['fixtures', 'local-server export', 'local-server validate'];

function filesFor(name: string): Values {
  const kind = files.includes(name) ? 'files' : folders.includes(name) ? 'folders' : 'words';
  return { kind, candidates: [] };
}

const named = ({ name, meaning }: { readonly name: string; readonly meaning: string }): Candidate => ({
  value: name,
  meaning,
});

/** What the value of a flag may be. */
function optionValues(context: Context, place: Place, option: Option, current: string): Values {
  if (option.argChoices) return words(option.argChoices.map((value) => ({ value })));
  const name = option.attributeName();
  const { breakdowns, metrics, filters } = vocabularyAt(context, place);
  if (name === 'account') {
    const accounts = Object.entries(place.stored.accounts);
    return words(accounts.map(([value, { baseUrl }]) => ({ value, meaning: baseUrl })));
  }
  if (name === 'format') return words(formatNames.map((value) => ({ value, meaning: formats[value].meaning })));
  if (name === 'metrics') return list(current, metrics);
  if (name === 'filter')
    return { kind: 'open', candidates: filters.map(({ name: filter, meaning }) => ({ value: `${filter}=`, meaning })) };
  if (name === 'by' || name === 'breakdowns') {
    // Time breakdowns exclude each other.
    const given = current.toUpperCase().split(',').slice(0, -1);
    const hasTime = breakdowns.some((breakdown) => breakdown.time && given.includes(breakdown.name));
    return list(
      current,
      breakdowns.filter(({ time }) => !(hasTime && time)),
    );
  }
  return filesFor(name);
}

/** A list with commas: the names that it does not hold yet, each behind what it holds. */
function list(current: string, names: readonly { readonly name: string; readonly meaning: string }[]): Values {
  const head = current.slice(0, current.lastIndexOf(',') + 1);
  const taken = head.toLowerCase().split(',');
  const free = names.filter(({ name }) => !taken.includes(name.toLowerCase()));
  return { kind: 'open', candidates: free.map(({ name, meaning }) => ({ value: head + name, meaning })) };
}

/** What the next word may be that is neither a command nor a flag; nothing where the command takes no more. */
async function operandValues(context: Context, place: Place): Promise<Values> {
  const { command, operands, given } = place;
  const { registeredArguments: declared } = command;
  if (declared.length <= operands.length && !declared.at(-1)?.variadic) return words([]);
  const choices = declared[operands.length]?.argChoices;
  if (choices) return words(choices.map((value) => ({ value })));
  const path = pathOf(command);
  switch (path) {
    case 'run':
      return words((await savedReports(context, given.get('file'))).filter(({ value }) => !operands.includes(value)));
    case 'fields': {
      const { breakdowns, metrics, filters } = vocabularyAt(context, place);
      return words([...breakdowns, ...metrics, ...filters].map(named));
    }
    case 'help': {
      const above = command.parent && findCommand(command.parent as Command, operands);
      const commands = above ? above.createHelp().visibleCommands(above) : [];
      const shown = commands.map((child) => ({ value: child.name(), meaning: child.summary() }));
      const topicNames = Object.entries(topics).map(([value, text]) => ({ value, meaning: summaryOf(text) }));
      return words(operands.length === 0 ? [...shown, ...topicNames] : shown);
    }
    case 'config get':
      return words(settingNames.map((value) => ({ value })));
    case 'config set':
    case 'config unset':
      if (operands.length === 0) return words(storableNames.map((value) => ({ value })));
      return words(choicesOf(operands[0] ?? '').map((value) => ({ value })));
    default:
      return filesFor(path);
  }
}

/** `config get`: the words that call a command, without the program's own. */
function pathOf(command: Command): string {
  const above = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return above + command.name();
}

/** The vocabulary of the profile that the command line, the environment or the stored account names, else of a buyer. */
function vocabularyAt(context: Context, { given, stored }: Place) {
  const { env } = context.host;
  const { accounts, defaultAccount } = stored;
  const account = given.get('account') ?? env.ADREPORT_ACCOUNT ?? defaultAccount ?? '';
  const named = given.get('profile') ?? env.ADREPORT_PROFILE?.toLowerCase() ?? accounts[account]?.profile;
  return vocabularyOf(profiles.find((profile) => profile === named) ?? 'buyer');
}

/** The stored settings; nothing is said of what is wrong with them, which is for the command that is run. */
async function readStored({ host: { env, wallClock } }: Context): Promise<StoredSettings> {
  try {
    return (await openStore({ env, wallClock, warn: () => {} })).read();
  } catch {
    return noSettings;
  }
}

/** The reports of `adreport.yaml`, or of another file, with their window and breakdowns. */
async function savedReports({ host }: Context, file: string | undefined): Promise<Candidate[]> {
  const path = file === undefined ? findProjectFile(host.cwd) : resolve(host.cwd, file);
  if (path === undefined) return [];
  return [...(await readProjectFile(path, path, savedKeys)).reports].map(([value, { entries }]) => {
    const told = ['period', 'since', 'by'].flatMap((key) => entries.get(key)?.texts.join(',') ?? []);
    return { value, meaning: told.join(', ') };
  });
}

/** A candidate as bash puts it in: readline replaces only what stands behind the last of its word breaks. */
function forBash(value: string, raw: string, kind: Values['kind'], wordBreaks: string): string {
  // Names come from files and from the service: in no place may one be run as a command.
  if (raw.startsWith('"')) return value.replace(/[$`"\\!]/g, '\\$&');
  if (raw.startsWith("'")) return value.replaceAll("'", "'\\''");
  const at = Math.max(...['=', ':'].map((mark) => (wordBreaks.includes(mark) ? raw.lastIndexOf(mark) : -1)));
  const rest = value.slice(unquote(raw.slice(0, at + 1)).length);
  const escaped = rest.replace(/[^\p{L}\p{N}_@%+=:,./{}-]/gu, '\\$&');
  return kind === 'words' ? `${escaped} ` : escaped;
}

/** A word of a command line without the quotes and backslashes that bash would take away. */
function unquote(word: string): string {
  return word.replace(/\\(.)|["']/gs, (_, escaped = '') => escaped);
}
