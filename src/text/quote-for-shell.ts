/** A text as one word of a POSIX shell; a single quote in it ends the quoting, stands escaped, and begins it anew. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
