import { widthOf } from '../../text/cell-width.ts';
import { listWords } from '../../text/quantity.ts';
import { droppedColumnsMessage, type FitColumn, fitColumns } from '../fit-columns.ts';
import { maxTableRows } from '../table-size.ts';
import { displayText, isTextColumn, type PageColumn } from './page-column.ts';

/** Characters per table line on A4 in the font size of the page's style. */
const charactersPerLine = { portrait: 116, landscape: 172 } as const;

/** Names are wrapped at this width, which does not break ordinary words. */
const wrappedWidth = 24;

/** Space around a cell, in characters. */
const cellMargin = 1.2;

/** Tables by time, or by several breakdowns, are not printed if they have more rows. */
const maxAppendixRows = 200;

/** Number of shortened names printed in full below a table. */
const maxFullNames = 40;

/** Number of rows that are measured. */
const measuredRows = 500;

export interface PaperPlan {
  readonly isPrinted: boolean;

  /** Starts on a new page after everything else. */
  readonly isAppendix: boolean;

  /** Set if landscape pages fit more columns. */
  readonly isLandscape: boolean;

  /** Fields of the columns that are not printed. */
  readonly leftOut: ReadonlySet<string>;

  /** Printed below the table. */
  readonly sentences: readonly string[];

  /** Shortened names to print in full. */
  readonly fullNames: readonly string[];
}

/** Prints names in full, and as many metrics as fit. */
export function planPaper(parts: {
  readonly columns: readonly PageColumn[];
  readonly rowCount: number;
  readonly hasTime: boolean;

  /** One for each breakdown: `day`, `campaign`. */
  readonly nouns: readonly string[];

  /** Sum of the rows that are not printed. */
  readonly restSentence?: string | undefined;
}): PaperPlan {
  const { columns, rowCount, hasTime, nouns, restSentence } = parts;
  const isOfSeveral = nouns.length > 1;
  if ((hasTime || isOfSeveral) && rowCount > maxAppendixRows) return notPrinted(nouns);

  const shown = columns.filter(({ isExtra }) => !isExtra);
  const upright = columnsWithin(charactersPerLine.portrait, shown);
  const across = columnsWithin(charactersPerLine.landscape, shown);
  const isLandscape = across.length > upright.length;
  const kept = isLandscape ? across : upright;
  const dropped = columns.filter((column) => !kept.includes(column));
  const labels = dropped.filter(({ type }) => type !== 'change').map(({ label }) => label);

  const sentences: string[] = [];
  if (restSentence !== undefined) sentences.push(restSentence);
  if (labels.length > 0)
    sentences.push(droppedColumnsMessage(labels, 'The .html, .xlsx and .csv have them.'));
  return {
    isPrinted: true,
    isAppendix: isOfSeveral,
    isLandscape,
    leftOut: new Set(dropped.map(({ field }) => field)),
    sentences,
    // A table by several breakdowns repeats names from another table.
    fullNames: isOfSeveral ? [] : fullNamesOf(shown.find(isTextColumn)),
  };
}

function notPrinted(nouns: readonly string[]): PaperPlan {
  const sentence = `Metrics by ${listWords(nouns)} are not printed. They are in the web page (.html), spreadsheet (.xlsx) and CSV of this report.`;
  return {
    isPrinted: false,
    isAppendix: false,
    isLandscape: false,
    leftOut: new Set(),
    sentences: [sentence],
    fullNames: [],
  };
}

/** In row order. */
function fullNamesOf(column: PageColumn | undefined): string[] {
  if (!column) return [];

  const names = new Set<string>();
  for (const cell of column.cells.slice(0, maxTableRows)) {
    if (typeof cell === 'string' && column.texts?.has(cell)) names.add(cell);
    if (names.size === maxFullNames) break;
  }
  return [...names];
}

/** Wraps names rather than shortening them. */
function columnsWithin(width: number, columns: readonly PageColumn[]): PageColumn[] {
  const { kept } = fitColumns(columns.map(fitColumnOf), width, cellMargin);
  return kept.map((index) => columns[index] as PageColumn);
}

function fitColumnOf(column: PageColumn): FitColumn {
  const { label, type, cells, total, figure } = column;
  let widest = Math.max(
    ...label.split(' ').map(widthOf),
    widthOf(total === undefined ? '' : displayText({ ...column, texts: undefined }, total)),
  );
  for (const cell of cells.slice(0, measuredRows)) {
    if (cell !== null) widest = Math.max(widest, widthOf(displayText(column, cell)));
  }

  const minWidth = isTextColumn(column) ? Math.min(widest, wrappedWidth) : widest;
  return { isMetric: figure !== undefined || type === 'change', width: widest, minWidth };
}
