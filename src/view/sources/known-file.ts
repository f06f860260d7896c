import { lookAtFiles } from '../../folder/disk.ts';
import { findFolders } from '../../folder/find.ts';
import { type FileEntry, nameInFolder, newestEntry } from '../../folder/history.ts';
import { type CalendarUnit, formatDate, unitHolding } from '../../report/window.ts';
import type { Clock } from './folder-series.ts';

/**
 * The newest history line of a single file, if the file has its bytes; `changed` if it has others.
 */
export async function entryOfFile(
  path: string,
  { now, signal }: Clock,
): Promise<{ readonly entry: FileEntry; readonly unit: CalendarUnit } | 'changed' | undefined> {
  for (const { history } of await findFolders(path, { now, signal })) {
    const name = nameInFolder(history.folder, path);
    const entry = newestEntry(history, name);
    if (!entry?.own) continue;

    const onDisk = (await lookAtFiles(history.folder, [name], { signal, reads: () => true })).get(
      name,
    );
    const isSame = onDisk?.kind === 'file' && onDisk.sha256 === entry.line.sha256;
    if (!isSame) return 'changed';

    const { split, timezone: zone } = entry.own.spec;
    const unit = unitHolding(formatDate(Date.parse(entry.line.since) / 1_000, zone), split, zone);
    if (unit) return { entry, unit };
  }
  return undefined;
}
