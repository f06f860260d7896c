import { type EncodeCase, encode } from '../formats/encode.ts';

interface Embedded {
  readonly rowCount: number;
  readonly columns: readonly {
    readonly name: string;

    /** Absent if the page computes them from other columns. */
    readonly cells?: readonly (string | number | null)[];
  }[];
}

/** A page, its embedded tables, and the notes about it. */
export interface ReadPage {
  readonly html: string;
  readonly tables: readonly Embedded[];

  /** The table of rows, which is the last one. */
  readonly data: Embedded;
  readonly notes: readonly string[];
}

/** Renders a report as a page. */
export async function pageOf(
  body: string | Uint8Array,
  options: EncodeCase = {},
): Promise<ReadPage> {
  const { text: html, notes } = await encode(body, 'html', options);
  const tables = readTables(html);
  return { html, tables, data: tables.at(-1) ?? { rowCount: 0, columns: [] }, notes };
}

/** The data embedded for a page's script. */
function readTables(html: string): Embedded[] {
  return JSON.parse(
    /<script type="application\/json" id="data">([^<]*)<\/script>/.exec(html)?.[1] ?? '',
  );
}

/** The rows embedded in a page, by field. */
export function rowsOf({ columns, rowCount }: Embedded): Record<string, string | number | null>[] {
  const stored = columns.filter(({ cells }) => cells !== undefined);
  return Array.from({ length: rowCount }, (_, row) =>
    Object.fromEntries(stored.map(({ name, cells }) => [name, cells?.[row] ?? null])),
  );
}

/** The texts of each slot in each chart. */
export function slotsOf(html: string): string[][] {
  const charts = [...html.matchAll(/<div class="slots"[^>]*>(.*?)<\/div>/gs)].map(
    (match) => match[1] ?? '',
  );
  return charts.map((chart) =>
    [...chart.matchAll(/data-v="([^"]*)"/g)].map((match) => match[1] ?? ''),
  );
}

/** Totals by label. */
export function cardsOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)].map((match) => [match[1], match[2]]),
  );
}

/** The visible bars as lines with name, sum and share. */
export function barsOf(html: string): string[] {
  const lists = [...html.matchAll(/<ol[^>]*>(.*?)<\/ol>/g)].map((match) => match[1] ?? '');
  return lists
    .flatMap((list) => list.split('<li').slice(1))
    .map((item) =>
      item
        .replace(/^[^>]*>/, '')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/ +/g, ' ')
        .trim(),
    );
}

/** The tags of a page with attribute names: its structure without text. */
export function tagsOf(html: string): string[] {
  const markup = html.replace(/(<script type="application\/json"[^>]*>)[^<]*/, '$1');
  return [
    ...markup.matchAll(
      /<([!/]?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:=(?:"[^"]*"|[^\s>"]+))?)*)\s*>|<[^<]{0,9}/gi,
    ),
  ].map(([tag, name, attributes]) =>
    name ? `${name}${(attributes ?? '').replaceAll(/="[^"]*"/g, '')}` : tag,
  );
}
