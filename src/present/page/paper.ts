import { listWords } from '../../figures/window-text.ts';
import { widthOf } from '../../text/cell-width.ts';
import { classRank, figureRank } from '../report-model.ts';
import { maxTableRows } from '../table-size.ts';
import { displayText, isTextColumn, type PageColumn } from './page-column.ts';

/** Characters per table line on A4 in the font size of the page's style. */
const charactersPerLine = { portrait: 116, landscape: 172 } as const;

/** Width limits of the first column, wide enough not to break ordinary words. */
const nameWidth = { least: 24, most: 34 };

/** Width at which other texts are wrapped. */
const textWidth = 16;

/** Space around a cell, in characters. */
const cellMargin = 1.2;

/** Tables by time, or by several breakdowns, are not printed if they have more rows. */
const maxAppendixRows = 200;

/** Number of shortened names printed in full below a table. */
const maxFullNames = 40;

/** Number of rows that are measured. */
const measuredRows = 500;

/** How a table is printed. */
export interface PaperPlan {
  /** True if its rows are printed. */
  readonly isPrinted: boolean;

  /** True if it starts on a new page after everything else. */
  readonly isAppendix: boolean;

  /** True if it is printed in landscape to fit more columns. */
  readonly isLandscape: boolean;

  /** Fields of the columns that are not printed. */
  readonly leftOut: ReadonlySet<string>;

  /** Sentences below the table in print. */
  readonly sentences: readonly string[];

  /** Shortened names to print in full. */
  readonly fullNames: readonly string[];
}

/** The properties of a table that determine how it is printed. */
export interface PaperParts {
  readonly columns: readonly PageColumn[];
  readonly rowCount: number;

  /** True if the rows have times. */
  readonly hasTime: boolean;

  /** Nouns for the rows: `day`, `campaign`. */
  readonly nouns: readonly string[];

  /** A sentence with the sum of the rows that are not printed. */
  readonly restSentence?: string | undefined;
}

/** Plans how to print a table: names in full, and as many figures as fit. */
export function planPaper(parts: PaperParts): PaperPlan {
  const { columns, rowCount, hasTime, nouns, restSentence } = parts;
  const isOfSeveral = nouns.length > 1;
  if ((hasTime || isOfSeveral) && rowCount > maxAppendixRows) return notPrinted(nouns);

  const shown = columns.filter(({ isExtra, isIdOfName }) => !isExtra && !isIdOfName);
  const upright = columnsWithin(charactersPerLine.portrait, shown);
  const across = columnsWithin(charactersPerLine.landscape, shown);
  const isLandscape = across.length > upright.length;
  const kept = isLandscape ? across : upright;
  const dropped = columns.filter((column) => !kept.includes(column) && !column.isIdOfName);
  // Rates that were not requested need not be mentioned.
  const requested = dropped.filter(({ isExtra, formula }) => !(isExtra && formula));
  const labels = requested.map(({ label }) => label);

  const sentences: string[] = [];
  if (restSentence !== undefined) sentences.push(restSentence);
  if (labels.length > 0) sentences.push(`Not printed: ${labels.join(', ')}.`);
  return {
    isPrinted: true,
    isAppendix: isOfSeveral,
    isLandscape,
    leftOut: new Set(dropped.map(({ field }) => field)),
    sentences,
    // A table by several breakdowns repeats names from another table.
    fullNames: isOfSeveral ? [] : fullNamesOf(shown[0]),
  };
}

function notPrinted(nouns: readonly string[]): PaperPlan {
  const sentence = `Figures by ${listWords(nouns)} are not printed. They are in the web page (.html), spreadsheet (.xlsx) and CSV of this report.`;
  return {
    isPrinted: false,
    isAppendix: false,
    isLandscape: false,
    leftOut: new Set(),
    sentences: [sentence],
    fullNames: [],
  };
}

/** The names that a column shortens, in row order. */
function fullNamesOf(column: PageColumn | undefined): string[] {
  if (!column || !isTextColumn(column)) return [];

  const names = new Set<string>();
  for (const cell of column.cells.slice(0, maxTableRows)) {
    if (typeof cell === 'string' && column.texts?.has(cell)) names.add(cell);
    if (names.size === maxFullNames) break;
  }
  return [...names];
}

/** The columns that fit. Figures are dropped by rank, then other columns. */
function columnsWithin(width: number, columns: readonly PageColumn[]): PageColumn[] {
  const fields = columns.map(({ field }) => field);
  const widths = new Map(columns.map((column, i) => [column, widthOfColumn(column, i === 0)]));
  const rankOf = (column: PageColumn): number => {
    if (column.figure) return figureRank(column.figure, fields);
    return column.type === 'change' ? classRank('row change') : 0;
  };

  let sum = 0;
  for (const each of widths.values()) sum += each;
  const kept = [...columns];
  const [, ...givesWay] = columns;
  givesWay.sort((a, b) => rankOf(b) - rankOf(a));
  for (const column of givesWay) {
    if (sum <= width || kept.length <= 2) break;
    kept.splice(kept.indexOf(column), 1);
    sum -= widths.get(column) ?? 0;
  }
  return kept;
}

/** The width of a column in characters. */
function widthOfColumn(column: PageColumn, isFirst: boolean): number {
  const { label, type, cells, total } = column;
  let widest = Math.max(
    ...label.split(' ').map(widthOf),
    widthOf(total === undefined ? '' : displayText({ ...column, texts: undefined }, total)),
  );
  for (const cell of cells.slice(0, measuredRows)) {
    if (cell !== null) widest = Math.max(widest, widthOf(displayText(column, cell)));
  }

  const isText = type === 'name' || type === 'text';
  if (isFirst && isText) widest = Math.min(nameWidth.most, Math.max(nameWidth.least, widest));
  else if (isText) widest = Math.min(textWidth, widest);
  return widest + cellMargin;
}
