import { addAbortSignal } from 'node:stream';
import { UsageError } from '../errors.ts';
import type { Console } from './console.ts';

/** No password or token is longer; an endless stream must not fill the memory. */
const mostBytes = 64 * 1024;

/**
 * The first line of stdin, without its line end: how a secret arrives from a pipe or a file.
 * It is hidden in everything that is written from then on. Throws `UsageError`, naming the flag (`--password-stdin`),
 * if stdin is a terminal, or holds nothing, or no text.
 *
 * @param signal ends the reading of a stdin that nothing comes through
 */
export async function readSecret(
  stdin: NodeJS.ReadStream,
  console: Console,
  flag: string,
  signal: AbortSignal,
): Promise<string> {
  if (stdin.isTTY) {
    throw new UsageError(`${flag} reads from a pipe or a file, and stdin is a terminal.`, {
      hint: `Pipe the secret in, as in: adreport login … ${flag} < FILE`,
    });
  }
  const line = decodeLine(await readFirstLine(addAbortSignal(signal, stdin)));
  if (line === undefined) throw new UsageError(`${flag} found no UTF-8 text on stdin.`);
  if (line.trim() === '') {
    throw new UsageError(`${flag} found nothing on the first line of stdin.`, {
      hint: 'The variable or file that should hold the secret may be empty.',
    });
  }
  console.hide(line);
  return line;
}

async function readFirstLine(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    const end = bytes.indexOf('\n');
    chunks.push(end < 0 ? bytes : bytes.subarray(0, end));
    sizeBytes += bytes.length;
    if (end >= 0 || sizeBytes > mostBytes) break;
  }
  return Buffer.concat(chunks);
}

/** `undefined` if it is not UTF-8, or too long; a byte order mark, which PowerShell writes into pipes, is dropped. */
function decodeLine(bytes: Buffer): string | undefined {
  if (bytes.length > mostBytes) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r$/, '');
  } catch {
    return undefined;
  }
}
