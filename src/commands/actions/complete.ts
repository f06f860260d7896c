import type { Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { printable } from '../../text/printable.ts';
import { operandValues } from './complete/operands.ts';
import { findPlace, type Place } from './complete/place.ts';
import { type Candidate, optionValues, type Values } from './complete/values.ts';

/**
 * Prints what the last word may become, for the script of a shell: `words`, `open` (more may follow in the same word),
 * `files` or `folders` on the first line, then a candidate a line. It asks this machine alone, and fails in silence: a
 * person is in the middle of a line.
 */
export async function complete(
  context: Context,
  program: Command,
  shell: string,
  words: readonly string[],
): Promise<void> {
  const raw = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const isBash = shell === 'bash';
  const current = isBash ? unquote(raw) : raw;
  try {
    const place = findPlace(program, isBash ? before.map(unquote) : before);
    const { kind, candidates } = await valuesAt(context, place, current);
    const matching = candidates.filter(
      ({ value }) => value.toLowerCase().startsWith(current.toLowerCase()) && printable(value) === value,
    );
    const lines = isBash
      ? matching.map(({ value }) => forBash(value, raw, kind, context.host.env.ADREPORT_WORDBREAKS ?? ''))
      : matching.map(({ value, meaning = '' }) => `${value}\t${printable(meaning)}`);
    await context.console.result([kind, ...lines].join('\n'));
  } catch (error) {
    context.console.trace(1, String(error));
  }
}

async function valuesAt(context: Context, place: Place, current: string): Promise<Values> {
  const { command, pending, operands } = place;
  if (pending) return optionValues(context, place, pending, current);
  const assigned = /^(--[\w-]+=)(.*)$/s.exec(current);
  const [, flag = '', rest = ''] = assigned ?? [];
  const option = place.options.find(({ long }) => `${long}=` === flag);
  if (option && !place.isPastFlags) return prefixed(flag, await optionValues(context, place, option, rest));
  if (current.startsWith('-') && !place.isPastFlags) return { kind: 'words', candidates: flags(place.options) };

  const commands = operands.length > 0 ? [] : command.createHelp().visibleCommands(command);
  const subcommands = commands.map((child) => ({ value: child.name(), meaning: child.summary() }));
  const values = await operandValues(context, place, current);
  const candidates = [...subcommands, ...values.candidates];
  if (candidates.length > 0 || values.kind !== 'words') return { kind: values.kind, candidates };
  return { kind: 'words', candidates: place.isPastFlags ? [] : flags(place.options) };
}

function flags(options: readonly Option[]): Candidate[] {
  return options.flatMap(({ hidden, long, description }) =>
    hidden || !long ? [] : [{ value: long, meaning: description }],
  );
}

function prefixed(prefix: string, { kind, candidates }: Values): Values {
  return { kind, candidates: candidates.map(({ value, ...rest }) => ({ ...rest, value: prefix + value })) };
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
