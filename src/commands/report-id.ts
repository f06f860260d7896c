import { UsageError } from '../errors.ts';

/** The id of a report. Throws `UsageError` for an empty one, as a failed `$(…)` gives it. */
export function expectReportId(text: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError('The report id is empty.', {
    hint: 'Check the command that gave it. The reports of this machine: adreport report list',
  });
}
