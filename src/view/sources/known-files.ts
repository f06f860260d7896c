import { lookAtFiles } from '../../folder/disk.ts';
import { findFolders } from '../../folder/find.ts';
import { type FileEntry, type History, nameInFolder, newestEntry } from '../../folder/history.ts';
import { type CalendarUnit, formatDate, unitHolding } from '../../report/window.ts';
import type { Clock } from './folder-series.ts';

/** The history line of a file whose bytes it has, and the unit of its report. */
interface KnownFile {
  readonly entry: FileEntry;
  readonly unit: CalendarUnit;
}

/** Finds the history lines of single files; a history is read once for all its files. */
export class KnownFiles {
  readonly #clock: Clock;
  readonly #histories: History[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The newest history line of a file, if the file has its bytes; `changed` if it has others.
   *
   * @param path absolute
   */
  async entryOf(path: string): Promise<KnownFile | 'changed' | undefined> {
    const known = await this.#entryIn(this.#histories, path);
    if (typeof known === 'object') return known;

    const found = (await findFolders(path, this.#clock)).map(({ history }) => history);
    this.#histories.push(...found);
    return this.#entryIn(found, path);
  }

  async #entryIn(
    histories: readonly History[],
    path: string,
  ): Promise<KnownFile | 'changed' | undefined> {
    for (const history of histories) {
      const name = nameInFolder(history.folder, path);
      const entry = newestEntry(history, name);
      if (!entry?.own) continue;
      if (!(await this.#hasBytesOf(entry, history.folder, name))) return 'changed';

      const { split, timezone: zone } = entry.own.spec;
      const unit = unitHolding(formatDate(Date.parse(entry.line.since) / 1_000, zone), split, zone);
      if (unit) return { entry, unit };
    }
    return undefined;
  }

  async #hasBytesOf({ line }: FileEntry, folder: string, name: string): Promise<boolean> {
    const { signal } = this.#clock;
    const onDisk = await lookAtFiles(folder, [name], { signal, reads: () => true });
    const file = onDisk.get(name);
    return file?.kind === 'file' && file.sha256 === line.sha256;
  }
}
