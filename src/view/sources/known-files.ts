import { resolve } from 'node:path';
import { readFileStates } from '../../folder/disk.ts';
import { foldersAbove, readIfOpen } from '../../folder/find.ts';
import { type FileEntry, type History, nameInFolder, newestEntry } from '../../folder/history.ts';
import { type CalendarUnit, formatDate, unitHolding } from '../../report/window.ts';
import type { Search } from './folder-series.ts';
import { knownGap } from './source-file.ts';

/** History line of a file, and the unit of its report. */
interface KnownFile {
  readonly entry: FileEntry;
  readonly unit: CalendarUnit;
}

/** Finds the history lines of single files; reads each folder once for all its files. */
export class KnownFiles {
  readonly #search: Search;
  readonly #histories = new Map<string, History | undefined>();

  constructor(search: Search) {
    this.#search = search;
  }

  /**
   * Returns the newest history line of a file, if the file has its size; `changed` if it has
   * another, or was found to have other bytes.
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
      this.#histories.set(folder, await readIfOpen(folder, this.#search));
    }
    return this.#histories.get(folder);
  }

  async #entryIn(history: History, path: string): Promise<KnownFile | 'changed' | undefined> {
    const name = nameInFolder(history.folder, path);
    const entry = newestEntry(history, name);
    if (!entry?.own) return undefined;
    if (!(await this.#mayHaveBytesOf(entry, history.folder, name))) return 'changed';

    const { split, timezone: zone } = entry.own.spec;
    const unit = unitHolding(formatDate(Date.parse(entry.line.since) / 1_000, zone), split, zone);
    return unit && { entry, unit };
  }

  async #mayHaveBytesOf(entry: FileEntry, folder: string, name: string): Promise<boolean> {
    const { signal, unusable } = this.#search;
    if (knownGap(unusable, resolve(folder, name), entry)) return false;
    const onDisk = await readFileStates(folder, [name], { signal, reads: () => false });
    const file = onDisk.get(name);
    return file?.kind === 'file' && file.bytes === entry.line.bytes;
  }
}
