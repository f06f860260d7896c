import { statSync } from 'node:fs';

/**
 * When a file was last written, in unix seconds; `undefined` where there is none. Synchronous: a folder of ten years of
 * days is looked through in 30 ms, and there is nothing else to do meanwhile.
 */
export function modifiedAt(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.mtimeMs / 1_000 : undefined;
}
