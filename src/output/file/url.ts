import { UsageError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';
import { shellWord } from '../../text/quote-for-shell.ts';

/** `s3://`, `jdbc:postgresql://`; a single letter is a Windows drive. */
const urlPattern = /^(?:[a-z][a-z\d+.-]+:)+\/\//i;

/** Accepts the URL of another machine or program rather than a path. */
export function isUrl(name: string): boolean {
  return urlPattern.test(name);
}

interface OutputTarget {
  /** As typed: `-o`. */
  readonly flag: string;
  readonly name: string;

  /** Format to write to the pipe, such as `parquet`; absent for CSV. */
  readonly format?: string | undefined;
  readonly platform: NodeJS.Platform;
}

/** Throws `UsageError` if the target is a URL. */
export function expectNoUrl(target: OutputTarget): void {
  const { flag, name } = target;
  if (!isUrl(name)) return;

  const isOutput = flag === '-o';
  throw new UsageError(`${flag} ${shownUrl(name)} is a URL; adreport writes to files.`, {
    about: { flag: isOutput ? '--output' : flag },
    hint: isOutput ? pipeTo(target) : 'Write a file and send it.',
  });
}

/** Throws `UsageError` if a file to read is a URL. */
export function expectNoUrlToRead(name: string): void {
  if (!isUrl(name)) return;

  throw new UsageError(`${shownUrl(name)} is a URL; adreport reads local files.`, {
    hint: 'Download it first and name the file, or use a pipe: … | adreport view -',
  });
}

/** Suggests a pipe from `-o -` to a URL. */
function pipeTo({ name, format, platform }: OutputTarget): string {
  const formatFlag = format === undefined || format === 'csv' ? '' : `--format ${format} `;
  const gzip = name.endsWith('.gz') ? 'gzip | ' : '';
  const url = shellWord(shownUrl(name), platform);
  const program = /^s3:/i.test(name) ? `aws s3 cp - ${url}` : `PROGRAM ${url}`;
  return `Use a pipe: … ${formatFlag}-o - | ${gzip}${program}`;
}

/** Hides the password in a URL. */
function shownUrl(address: string): string {
  return printable(address.replace(/^([^/]*:\/\/[^/?#@:]*):[^/?#]*@/, '$1@'));
}
