import { formats } from '../formats/index.ts';
import {
  type EncodeOptions,
  type RowWatcher,
  type WrittenRows,
  writeRows,
} from '../output/encoder.ts';
import type { CompleteFile } from '../output/file/output-file.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { type Delivery, openFile } from './deliver.ts';
import type { OutputTools } from './output-tools.ts';

export interface OutputSource {
  readonly batches: RowBatches;

  /** Encoder options that depend on the report. */
  readonly encoding: Pick<EncodeOptions, 'comparison' | 'overTime' | 'keepsOrder' | 'provenance'>;
  readonly watcher?: RowWatcher;

  /** For `{id}` in the name of the file. */
  readonly reportId?: string | undefined;

  /** Called after the last row. What it throws ends the output; the old file stays. */
  readonly check?: (rows: WrittenRows) => void;

  /** Called before a complete file is put in place. Resolves to true to keep the old one. */
  readonly keepsOld?: (output: CompleteOutput) => Promise<boolean>;
}

export interface CompleteOutput {
  /** `undefined` for stdout. */
  readonly file: string | undefined;
  readonly wholeFile: CompleteFile;
  readonly rows: WrittenRows;
}

/** Leaves no partial file. Throws `OutputError`, and `IncompleteDataError` for damaged data. */
export async function writeOutput(
  tools: OutputTools,
  delivery: Delivery,
  source: OutputSource,
): Promise<CompleteOutput> {
  const { batches, reportId, watcher } = source;
  const encoding = { ...delivery.encoding, ...source.encoding };
  const encoder = await formats[delivery.format].createEncoder(encoding);
  const file = delivery.target.name(reportId);
  const begun = await delivery.target.open(reportId);

  try {
    const rows = await writeRows(batches, encoder, begun, watcher);
    source.check?.(rows);
    const output = { file, rows, wholeFile: await begun.finish() };
    if (await source.keepsOld?.(output)) await begun.abort();
    else await begun.place();

    if (delivery.opensFile && file !== undefined) openFile(tools, file);
    return output;
  } catch (error) {
    await begun.abort();
    throw error;
  }
}
