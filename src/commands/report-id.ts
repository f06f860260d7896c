import { UsageError } from '../errors.ts';

/** Throws `UsageError` for an empty ID, as from a failed `$(…)`. */
export function requireReportId(text: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError('The report ID is empty.', {
    hint: 'Check the command that printed it, or list the reports: adreport report list',
  });
}
