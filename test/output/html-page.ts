import { type EncodeCase, encode } from './encode.ts';

/** A column as the page's script reads it: each value, or its place among the different ones. */
interface EmbeddedColumn {
  readonly name: string;
  readonly values?: readonly (string | number | null)[];
  readonly words?: readonly (string | null)[];
  readonly codes?: readonly number[];
}

interface Embedded {
  readonly rowCount: number;
  readonly times: { readonly labels: string[]; readonly numbers: (string | null)[][] } | null;
  readonly columns: readonly EmbeddedColumn[];
}

/** A page, what it embeds, and what was said about it. */
export interface ReadPage {
  readonly html: string;
  readonly data: Embedded;
  readonly notes: readonly string[];
}

/** Writes a report as a page. */
export async function pageOf(body: string | Uint8Array, options: EncodeCase = {}): Promise<ReadPage> {
  const { text: html, notes } = await encode(body, 'html', options);
  return { html, data: readData(html), notes };
}

/** What a page embeds for its script. */
function readData(html: string): Embedded {
  return JSON.parse(/<script type="application\/json" id="data">([^<]*)<\/script>/.exec(html)?.[1] ?? '');
}

/** The values of an embedded column, row by row. */
function valuesOf({ values, words, codes }: EmbeddedColumn): readonly (string | number | null)[] {
  return values ?? codes?.map((code) => words?.[code] ?? null) ?? [];
}

/** The rows that a page embeds, by the names of the report's fields. */
export function rowsOf({ columns, rowCount }: Embedded): Record<string, string | number | null>[] {
  const values = columns.map((column) => [column.name, valuesOf(column)] as const);
  return Array.from({ length: rowCount }, (_, row) =>
    Object.fromEntries(values.map(([name, cells]) => [name, cells[row] ?? null])),
  );
}

/** The texts of the totals, by their labels. */
export function cardsOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)].map((match) => [match[1], match[2]]),
  );
}

/** The bars that are seen first, as lines of name, sum and share. */
export function barsOf(html: string): string[] {
  const lists = [...html.matchAll(/<ol data-metric="\d+">(.*?)<\/ol>/g)].map((match) => match[1] ?? '');
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

/** The tags of a page with the names of their attributes: its structure, without any text. */
export function tagsOf(html: string): string[] {
  const markup = html.replace(/(<script type="application\/json"[^>]*>)[^<]*/, '$1');
  return [...markup.matchAll(/<([!/]?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:=(?:"[^"]*"|[^\s>"]+))?)*)\s*>|<[^<]{0,9}/gi)].map(
    ([tag, name, attributes]) => (name ? `${name}${(attributes ?? '').replaceAll(/="[^"]*"/g, '')}` : tag),
  );
}
