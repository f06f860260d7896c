import { watch } from 'node:fs';
import { UsageError } from '../errors.ts';
import type { Fixtures } from './fixtures/fixtures.ts';

/** What happens to data that is edited while the server runs. */
export interface ReloadOptions {
  /** Reads the folder anew. Throws `UsageError` for data that is wrong. */
  readonly load: () => Promise<Fixtures>;
  readonly onFixtures: (fixtures: Fixtures) => void;
  /** Told, in one sentence, what came of an edit. */
  readonly onNotice: (notice: string) => void;
}

/** An editor saves in several steps; once it has been quiet for this long, the files are read. */
const settleMs = 100;

/**
 * Watches a folder of fixtures: an edit is taken up while the server runs; a broken one is told, and the last good data
 * stay. Returns the function that ends the watch.
 */
export function watchFixtures(directory: string, { load, onFixtures, onNotice }: ReloadOptions): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isStale = false;
  let hasEnded = false;

  const read = async (): Promise<void> => {
    // What is edited while it is read is read again.
    isStale = isReading;
    if (isReading) return;
    isReading = true;
    try {
      const fixtures = await load();
      if (hasEnded) return;
      onFixtures(fixtures);
      onNotice(`The data of ${directory} have changed: the server serves them now.`);
    } catch (error) {
      if (!hasEnded)
        onNotice(`The data of ${directory} have changed and are wrong; the old ones stay. ${reasonOf(error)}`);
    } finally {
      isReading = false;
    }
    if (isStale && !hasEnded) await read();
  };

  const watcher = watch(directory, { persistent: false }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), settleMs);
    timer.unref();
  });
  watcher.on('error', (error) => onNotice(`The folder ${directory} can no longer be watched: ${error.message}.`));
  return () => {
    hasEnded = true;
    clearTimeout(timer);
    watcher.close();
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  return error instanceof Error ? `${error.message}.` : String(error);
}
