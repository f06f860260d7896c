import { breakdownOfField } from '../../contract/columns.ts';
import { UsageError } from '../../errors.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { requestOfMembers } from '../member-lines.ts';
import type { SourceFile } from '../sources/source-file.ts';

export interface ReadFile {
  readonly file: SourceFile;
  readonly tail: ReportTail;
}

/** Throws `UsageError` if two files are known to differ in more than window and columns. */
export function expectSameRequest(one: ReadFile, other: ReadFile): void {
  const first = requestParts(one);
  const second = requestParts(other);
  const part = Object.keys(first).find((name) => name in second && first[name] !== second[name]);
  if (part === undefined) return;

  const both = `${printable(one.file.shown)} and ${printable(other.file.shown)}`;
  throw new UsageError(`${both} are from different requests: their ${part} differ.`, {
    hint: 'View them one at a time.',
  });
}

/** Reads the request in the declaration of the folder, or else in the file; what is unknown is absent. */
function requestParts({ file, tail }: ReadFile): Readonly<Record<string, string>> {
  const query = file.declaration?.query;
  const request = query ?? requestOfMembers(tail.members);
  const timezone = query?.timezone ?? tail.summary?.timezone;
  const hasHeader = tail.isCsv;
  return {
    ...(hasHeader && !query && { 'columns of breakdowns': breakdownsInHeader(tail.fields) }),
    ...(request && {
      profiles: request.profile,
      breakdowns: [...request.breakdowns].sort().join(','),
      filters: JSON.stringify(Object.entries(request.filters ?? {}).sort()),
    }),
    ...(timezone !== undefined && { 'time zones': timezone.toLowerCase() }),
    ...(query && { 'window clocks': query.windowClock }),
  };
}

/** Names the breakdowns but time of a CSV, whose request is not known. */
function breakdownsInHeader(fields: readonly string[]): string {
  const found = new Set<string>();
  for (const field of fields) {
    const breakdown = breakdownOfField(field);
    if (breakdown && !breakdown.time) found.add(breakdown.name);
  }
  return [...found].sort().join(',');
}
