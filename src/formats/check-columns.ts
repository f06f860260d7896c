import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { type FormatName, formats } from './index.ts';

/**
 * Throws `UsageError` for a column that only adreport computes, if the format has the service's own
 * data.
 */
export function checkColumns(columns: readonly Column[], format: FormatName): void {
  if (!formats[format].isServiceDocument) return;

  for (const { field, metric, breakdown } of columns) {
    if (metric !== undefined || breakdown !== undefined) continue;
    throw new UsageError(
      `${field} is computed by adreport; ${format} contains only the service's own data.`,
      {
        about: { flag: '--metrics' },
        hint: `Remove ${field} from --metrics, or write csv, parquet, xlsx, html, pdf or table.`,
      },
    );
  }
}
