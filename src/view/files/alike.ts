import type { TakenFile } from './file-taker.ts';

/** A text that identifies the request of a file; `undefined` if it is unknown. */
export function requestOfFile({
  file,
  read,
}: Pick<TakenFile, 'file' | 'read'>): string | undefined {
  const content = file.entry?.own?.content;
  if (content !== undefined) return content;
  const member = read.tail.members.find(({ name }) => name === 'request')?.json.toString();
  return member === 'null' ? undefined : member;
}
