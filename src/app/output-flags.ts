import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { CsvDialect } from '../output/encoder.ts';
import { csvDialectOf } from '../output/formats/csv.ts';
import { type FormatName, findFormat, formatNames, formatOfFile, isBinary } from '../output/formats/index.ts';
import { nearest } from '../text/nearest.ts';
import type { OutputFlags } from './flags.ts';

/**
 * The output format: as told, else by the file's ending, else a table on a terminal and CSV in a pipe. Throws
 * `UsageError` for one that is not known, and where bytes that are no text would go to a terminal.
 */
export function chooseFormat(context: Context, flags: OutputFlags): FormatName {
  const format = namedFormat(context, flags);
  const { output } = flags;
  if (isBinary(format) && context.console.out.isTerminal && (output === undefined || output === '-')) {
    throw new UsageError(`${format} is no text: a terminal cannot show it.`, {
      hint: `Write it to a file: -o report.${format}, or > report.${format}.`,
    });
  }
  return format;
}

/** By `cli.md`, Output. An ending that is not known is refused, rather than another format written under its name. */
function namedFormat({ console }: Context, { format, output }: OutputFlags): FormatName {
  const known = `Known are ${formatNames.join(', ')}.`;
  if (format !== undefined) {
    const named = findFormat(format);
    if (named) return named;
    const guess = nearest(format, formatNames);
    throw new UsageError(`There is no format “${format}”.`, { hint: guess ? `Did you mean ${guess}?` : known });
  }
  if (output === undefined || output === '-') return console.out.isTerminal ? 'table' : 'csv';
  const byEnding = formatOfFile(output);
  if (byEnding) return byEnding;
  const ending = /[^./\\](\.[^./\\]+)$/.exec(output)?.[1];
  if (ending === undefined) return 'csv';
  throw new UsageError(`-o ${output}: the ending ${ending} means no format.`, {
    hint: `Say which with --format. ${known}`,
  });
}

/**
 * Checks the flags of a CSV dialect, and says so where the format gives them nothing to do. Throws `UsageError` for a
 * dialect that cannot be.
 */
export function checkDialect({ console }: Context, flags: OutputFlags, format: FormatName): void {
  csvDialectOf(flags);
  if (format === 'csv') return;
  const { delimiter, decimal, bom, excel, escapeFormulas, header } = flags;
  const given = Object.entries({ delimiter, decimal, bom, excel, 'escape-formulas': escapeFormulas })
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name]) => `--${name}`);
  const names = header === false ? [...given, '--no-header'] : given;
  if (names.length > 0) console.warn(`The output is ${format}: ${names.join(', ')} would change CSV alone.`);
}

/** The dialect that the flags describe; a terminal shows no control character. Throws `UsageError`. */
export function csvDialect({ console }: Context, flags: OutputFlags): CsvDialect {
  return { ...csvDialectOf(flags), shown: console.out.isTerminal && (flags.output ?? '-') === '-' };
}

/** What `--columns` names; `undefined` for those that were asked for. Throws `UsageError` for a name that is empty. */
export function columnsNamed({ columns }: OutputFlags): string[] | 'all' | undefined {
  if (columns?.trim().toLowerCase() === 'all') return 'all';
  const names = columns?.split(',').map((name) => name.trim());
  if (names?.includes('')) {
    throw new UsageError(`--columns ${JSON.stringify(columns)} has a name that is empty.`, {
      hint: 'For example: --columns date,campaignName,clicks',
    });
  }
  return names;
}

/**
 * How a table is to look: as wide and as coloured as the terminal, if that is where it goes; in a pipe as wide as
 * `COLUMNS` says, where it says anything; in a file as wide as it is.
 */
export function tableLook({ console, host }: Context, { output }: Pick<OutputFlags, 'output'> = {}) {
  const { isTerminal, columns, style, showsUnicode } = console.out;
  if (output !== undefined && output !== '-') return {};
  if (isTerminal) return { columns, style, unicode: showsUnicode };
  // Coloured only where FORCE_COLOR wants it.
  return { style, unicode: showsUnicode, ...(host.env.COLUMNS ? { columns } : {}) };
}
