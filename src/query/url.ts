import { UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { flagError } from './flag-error.ts';

/** Matches `s3://` and `jdbc:postgresql://`, but not a Windows drive, which has a single letter. */
const urlPattern = /^(?:[a-z][a-z\d+.-]+:)+\/\//i;

/** Distinguishes URLs from paths. */
export function isUrl(name: string): boolean {
  return urlPattern.test(name);
}

/** Throws `UsageError`, with a pipe to use instead, if a value of `-o` is a URL. */
export function refuseUrl(name: string, format: string | undefined): void {
  if (!isUrl(name)) return;

  const formatFlag = format === undefined || format === 'csv' ? '' : `--format ${format} `;
  const gzip = name.endsWith('.gz') ? 'gzip | ' : '';
  const url = shellWord(displayUrl(name), process.platform);
  const program = /^s3:/i.test(name) ? `aws s3 cp - ${url}` : `PROGRAM ${url}`;
  throw flagError(
    '--output',
    `-o ${displayUrl(name)} is a URL; adreport writes to files.`,
    `Use a pipe: … ${formatFlag}-o - | ${gzip}${program}`,
  );
}

/** Throws `UsageError` if an input file is a URL. */
export function refuseUrlToRead(name: string): void {
  if (!isUrl(name)) return;

  throw new UsageError(`${displayUrl(name)} is a URL; adreport reads local files.`, {
    hint: 'Download it first and pass the file, or use a pipe: … | adreport view -',
  });
}

/** Hides the password in a URL. */
function displayUrl(url: string): string {
  return printable(url.replace(/^([^/]*:\/\/[^/?#@:]*):[^/?#]*@/, '$1@'));
}
