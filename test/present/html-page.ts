import { type EncodeCase, encode } from '../formats/encode.ts';

/** A table of a page, as its readers see it. */
interface ReadTable {
  readonly title: string;
  readonly heads: readonly string[];

  /** Cells of each row, with those of the others and the total. */
  readonly rows: readonly string[];
}

/** A page and its tables. */
export interface ReadPage {
  readonly html: string;
  readonly tables: readonly ReadTable[];
}

/** Renders a report as a page. */
export async function pageOf(
  body: string | Uint8Array,
  options: EncodeCase = {},
): Promise<ReadPage> {
  const { text: html } = await encode(body, 'html', options);
  return { html, tables: tablesIn(html) };
}

/** The tables of a page; cells of a row are joined with `|`. */
function tablesIn(html: string): ReadTable[] {
  const sections = html.split('<section class="rows">').slice(1);
  return sections.map((section) => {
    const [, title = ''] = /<h2>(.*?)<\/h2>/.exec(section) ?? [];
    const lines = section.split('</table>')[0]?.split('<tr').slice(1) ?? [];
    const [heads = [], ...rows] = lines.map((line) => {
      return line
        .split(/<t[dh](?: [^>]*)?>/)
        .slice(1)
        .map(textIn);
    });
    return { title, heads, rows: rows.map((cells) => cells.join('|')) };
  });
}

function textIn(html: string): string {
  const text = html.replaceAll(/<wbr>|<\/?bdi>/g, '').replaceAll(/<[^>]*>/g, ' ');
  return text.replaceAll(/ +/g, ' ').trim();
}

/** Lines of each slot in each chart. */
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
  const [, cards = ''] = /<dl class="cards[^>]*>(.*?)<\/dl>/s.exec(html) ?? [];
  return Object.fromEntries(
    [...cards.matchAll(/<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/g)].map((match) => [
      match[1],
      match[2],
    ]),
  );
}

/** The bars as lines with name, sum and share. */
export function barsOf(html: string): string[] {
  const lists = [...html.matchAll(/<ol[^>]*>(.*?)<\/ol>/g)].map((match) => match[1] ?? '');
  return lists
    .flatMap((list) => list.split('<li').slice(1))
    .map((item) => textIn(item.replace(/^[^>]*>/, '')));
}

/** The tags of a page with attribute names: its structure without text. */
export function tagsOf(html: string): string[] {
  const tags = html.matchAll(
    /<([!/]?[a-z][a-z0-9]*)((?:\s+[a-z-]+(?:=(?:"[^"]*"|[^\s>"]+))?)*)\s*>|<[^<]{0,9}/gi,
  );
  return [...tags].flatMap(([tag, name, attributes]) => {
    if (name === 'wbr') return [];
    return name ? `${name}${(attributes ?? '').replaceAll(/="[^"]*"/g, '')}` : tag;
  });
}
