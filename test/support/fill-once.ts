import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files that runs wrote into empty folders, by what was run. */
const written = new Map<string, ReadonlyMap<string, Buffer>>();

/**
 * Runs something that fills an empty folder, or, if the same was run before, writes the same files.
 * Settings are not among them.
 */
export async function fillOnce(
  key: string,
  folder: string,
  run: () => Promise<unknown>,
): Promise<void> {
  const files = written.get(key);
  for (const [path, bytes] of files ?? []) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  if (files) return;

  await run();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('.config') && statSync(join(folder, path)).isFile(),
  );
  written.set(key, new Map(paths.map((path) => [path, readFileSync(join(folder, path))])));
}
