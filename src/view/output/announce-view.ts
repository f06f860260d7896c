import type { WrittenFile } from '../../output/written-file.ts';
import { showMetrics, writtenMessage } from '../../run/announce-output.ts';
import type { Context } from '../../run/context.ts';
import type { PlannedFiles } from '../../run/prepare-files.ts';
import { visibleJson } from '../../text/printable.ts';
import type { View } from '../view.ts';
import type { WrittenView } from './write-view.ts';

/** Prints the files of a view, and its totals; with `--json` an object for each file on stdout. */
export async function announceView(
  tools: Context,
  { byTime }: View,
  { written, planned }: { readonly written: WrittenView; readonly planned: PlannedFiles },
): Promise<void> {
  for (const file of written.files) await announceFile(tools, written, file);

  const { comparison } = written;
  const labels = planned.files[0]?.encoding.labels;
  if (planned.printsTotals) showMetrics(tools.console, byTime, { comparison, labels });
}

async function announceFile(
  { console, flags, elapsedMs }: Context,
  { summary, notes }: WrittenView,
  { name: file, rowCount, sizeBytes, sha256 }: WrittenFile,
): Promise<void> {
  if (file === undefined) return;
  if (flags.json) {
    const { since = null, until = null } = summary ?? {};
    const facts = { file, rows: rowCount, bytes: sizeBytes, sha256 };
    await console.result(visibleJson({ ...facts, since, until, notes }));
  }
  console.note(writtenMessage({ file, rowCount, sizeBytes, elapsedMs }));
}
