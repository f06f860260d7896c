import type { DocumentParts } from '../rows/report-documents.ts';

/** The CSV of a report, made the plain way: everything parsed, everything in memory. */
export function csvOf(rows: DocumentParts['rows']): string {
  const columns = [...new Set(rows.flatMap((row) => row.map(([key]): string => JSON.parse(key))))];
  const lines = rows.map((row) => {
    const values = new Map(row.map(([key, value]): [string, string] => [JSON.parse(key), value]));
    return columns.map((column) => cellOf(values.get(column)));
  });
  const text = (cells: string[]) => {
    const line = cells.map(quoted).join(',');
    return `${line === '' ? '""' : line}\r\n`;
  };
  return [...(columns.length > 0 ? [columns] : []), ...lines].map(text).join('');
}

function cellOf(json: string | undefined): string {
  if (json === undefined || json === 'null') return '';
  // Surrogates that stand alone cannot be written as UTF-8.
  if (json.startsWith('"')) return Buffer.from(JSON.parse(json) as string).toString();
  return json.replace(/("(?:[^"\\]|\\.)*")|\s/g, '$1');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
