import { quoteForShell } from '../text/printable.ts';
import type { OutputFlags, ServiceFlags } from './flags.ts';

/** The command line that waits for a report as the same account. */
export function waitCommand(id: string, options: ServiceFlags): string {
  return commandLine('status', id, ` --wait${serviceFlagsOf(options)}`);
}

/**
 * The command line that fetches a report to the same place and in the same form as the one that asked for it.
 *
 * @param file the file's name, placeholders filled; `undefined` for stdout
 */
export function resumeCommand(id: string, options: ServiceFlags & OutputFlags, file: string | undefined): string {
  const output = flagsOf({
    '-o': file,
    '--format': options.format,
    '--no-clobber': !options.clobber,
    '--columns': options.columns,
    '--normalize': options.normalize,
    '--delimiter': options.delimiter,
    '--decimal': options.decimal,
    '--bom': options.bom,
    '--excel': options.excel,
    '--escape-formulas': options.escapeFormulas,
    '--no-header': !options.header,
  });
  return `${waitCommand(id, options)} && ${commandLine('download', id, serviceFlagsOf(options) + output)}`;
}

function serviceFlagsOf({ account, baseUrl, encoding }: ServiceFlags): string {
  return flagsOf({ '--account': account, '--base-url': baseUrl, '--encoding': encoding });
}

function flagsOf(flags: Readonly<Record<string, string | boolean | undefined>>): string {
  return Object.entries(flags)
    .map(([name, value]) => {
      if (value === undefined || value === false) return '';
      return value === true ? ` ${name}` : ` ${name} ${quoted(value)}`;
    })
    .join('');
}

/** An id that begins with a dash would be read as a flag: it stands last, behind `--`. */
function commandLine(command: string, id: string, flags: string): string {
  const isPlain = !id.startsWith('-');
  return `adreport ${command}${isPlain ? ` ${quoted(id)}` : ''}${flags}${isPlain ? '' : ` -- ${quoted(id)}`}`;
}

/** A word as a shell reads it back. */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  // Control characters stay visible: bash, zsh and ksh read them back from this form.
  return /\p{Cc}/u.test(text)
    ? `$${quoteForShell(JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"'))}`
    : quoteForShell(text);
}
