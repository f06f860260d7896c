import { UsageError } from '../../errors.ts';
import type { CsvDialect } from '../encoder.ts';

/** The CSV flags as the command line gives them. */
export interface CsvFlags {
  readonly delimiter?: string;
  readonly decimal?: string;
  readonly bom?: boolean;
  readonly excel?: boolean;
  readonly escapeFormulas?: boolean;
  readonly header?: boolean;
}

/**
 * The dialect that the flags describe. `--excel` is what a European Excel opens: semicolons, decimal commas, a byte
 * order mark; a flag beside it overrides its part. `\t` and `tab` mean the tab.
 *
 * @throws UsageError for a delimiter that could be part of a value, or a decimal mark that is none
 */
export function csvDialectOf(flags: CsvFlags): CsvDialect {
  const excel = flags.excel ?? false;
  const given = flags.delimiter ?? (excel ? ';' : ',');
  const delimiter = given === '\\t' || given.toLowerCase() === 'tab' ? '\t' : given;
  if (!/^[\t\x20-\x7e]$/.test(delimiter) || /["'\w.+-]/.test(delimiter)) {
    throw new UsageError('--delimiter takes one character that is no letter, digit, quote, dot or sign.', {
      hint: 'For example: --delimiter ";" or --delimiter tab.',
    });
  }
  const decimal = flags.decimal ?? (excel ? ',' : undefined);
  if (decimal !== undefined && decimal !== ',' && decimal !== '.') throw new UsageError('--decimal takes "," or ".".');
  return {
    delimiter,
    ...(decimal === undefined ? {} : { decimal }),
    bom: flags.bom ?? excel,
    escapeFormulas: flags.escapeFormulas ?? false,
    header: flags.header ?? true,
  };
}
