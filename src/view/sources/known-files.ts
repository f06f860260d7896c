import { readFileStates } from '../../folder/disk.ts';
import { foldersAbove, readIfOpen } from '../../folder/find.ts';
import { type FileEntry, type History, nameInFolder, newestEntry } from '../../folder/history.ts';
import { type CalendarUnit, formatDate, unitHolding } from '../../report/window.ts';
import type { Clock } from './folder-series.ts';

/** History line of a file whose bytes it has, and the unit of its report. */
interface KnownFile {
  readonly entry: FileEntry;
  readonly unit: CalendarUnit;
}

/** Finds the history lines of single files; reads each folder once for all its files. */
export class KnownFiles {
  readonly #clock: Clock;
  readonly #histories = new Map<string, History | undefined>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the newest history line of a file, if the file has its bytes; `changed` if it has
   * others.
   *
   * @param path absolute
   */
  async entryOf(path: string): Promise<KnownFile | 'changed' | undefined> {
    for (const folder of foldersAbove(path)) {
      const history = await this.#historyIn(folder);
      const known = history && (await this.#entryIn(history, path));
      if (known) return known;
    }
    return undefined;
  }

  async #historyIn(folder: string): Promise<History | undefined> {
    if (!this.#histories.has(folder)) {
      this.#histories.set(folder, await readIfOpen(folder, this.#clock));
    }
    return this.#histories.get(folder);
  }

  async #entryIn(history: History, path: string): Promise<KnownFile | 'changed' | undefined> {
    const name = nameInFolder(history.folder, path);
    const entry = newestEntry(history, name);
    if (!entry?.own) return undefined;
    if (!(await this.#hasBytesOf(entry, history.folder, name))) return 'changed';

    const { split, timezone: zone } = entry.own.spec;
    const unit = unitHolding(formatDate(Date.parse(entry.line.since) / 1_000, zone), split, zone);
    return unit && { entry, unit };
  }

  async #hasBytesOf({ line }: FileEntry, folder: string, name: string): Promise<boolean> {
    const { signal } = this.#clock;
    const onDisk = await readFileStates(folder, [name], { signal, reads: () => true });
    const file = onDisk.get(name);
    return file?.kind === 'file' && file.sha256 === line.sha256;
  }
}
