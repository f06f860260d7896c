import { listWords } from '../../figures/window-text.ts';
import { widthOf } from '../../text/cell-width.ts';
import { rankOfClass, rankOfFigure } from '../report-model.ts';
import { mostInTable } from '../table-size.ts';
import { isOfNames, type PageColumn, shownText } from './page-column.ts';

/**
 * So many characters a line of a table has on A4, upright and across, in the letters of the page's
 * style.
 */
const charactersAcross = { portrait: 116, landscape: 172 } as const;

/**
 * The name of a row has at least so many characters, so that no word of usual length is broken, and
 * at most so many.
 */
const nameWidth = { least: 24, most: 34 };

/** Other texts are broken into lines of so many characters. */
const textWidth = 16;

/** What stands around a cell takes so many characters. */
const cellMargin = 1.2;

/**
 * So many rows by time, or by several things, are printed; more would be a pile of paper that
 * nobody reads.
 */
const mostInAppendix = 200;

/** So many names are printed whole below a table that shortens them. */
const mostWholeNames = 40;

/** The widths of so many rows are looked at. */
const measuredRows = 500;

/** What is printed of a table. */
export interface PaperPlan {
  /** Whether its rows are printed at all. */
  readonly isPrinted: boolean;

  /** Whether it begins a page of its own, behind all else. */
  readonly isAppendix: boolean;

  /** Whether the paper is turned, because more columns have room across it. */
  readonly isLandscape: boolean;

  /** The fields of the columns that are not printed. */
  readonly leftOut: ReadonlySet<string>;

  /** What is said of it on paper. */
  readonly sentences: readonly string[];

  /** The names that the table shortens. */
  readonly wholeNames: readonly string[];
}

/** What decides what is printed of a table. */
export interface PaperParts {
  readonly columns: readonly PageColumn[];
  readonly rowCount: number;

  /** Whether the rows have times. */
  readonly hasTime: boolean;

  /** What the rows are: `day`, `campaign`. */
  readonly nouns: readonly string[];

  /** What the rows beyond those that are printed come to, in a sentence. */
  readonly restSentence?: string | undefined;
}

/** Decides what is printed of a table: its name whole, and as many figures as have room. */
export function planPaper(parts: PaperParts): PaperPlan {
  const { columns, rowCount, hasTime, nouns, restSentence } = parts;
  const isOfSeveral = nouns.length > 1;
  if ((hasTime || isOfSeveral) && rowCount > mostInAppendix) return notPrinted(nouns);

  const shown = columns.filter(({ isExtra, isBesideName }) => !isExtra && !isBesideName);
  const upright = columnsWithin(charactersAcross.portrait, shown);
  const across = columnsWithin(charactersAcross.landscape, shown);
  const isLandscape = across.length > upright.length;
  const kept = isLandscape ? across : upright;
  const dropped = columns.filter((column) => !kept.includes(column) && !column.isBesideName);
  // Nobody misses what was computed unasked.
  const asked = dropped.filter(({ isExtra, formula }) => !(isExtra && formula));
  const labels = asked.map(({ label }) => label);

  const sentences: string[] = [];
  if (restSentence !== undefined) sentences.push(restSentence);
  if (labels.length > 0) sentences.push(`Not printed: ${labels.join(', ')}.`);
  return {
    isPrinted: true,
    isAppendix: isOfSeveral,
    isLandscape,
    leftOut: new Set(dropped.map(({ field }) => field)),
    sentences,
    // The rows of several things repeat names that another table has.
    wholeNames: isOfSeveral ? [] : wholeNamesOf(shown[0]),
  };
}

function notPrinted(nouns: readonly string[]): PaperPlan {
  const sentence = `Figures by ${listWords(nouns)} are not printed: this report has them as a page (.html), a sheet (.xlsx) and CSV.`;
  return {
    isPrinted: false,
    isAppendix: false,
    isLandscape: false,
    leftOut: new Set(),
    sentences: [sentence],
    wholeNames: [],
  };
}

/** The names that a column shortens, in the order of the rows. */
function wholeNamesOf(column: PageColumn | undefined): string[] {
  if (!column || !isOfNames(column)) return [];

  const names = new Set<string>();
  for (const cell of column.cells.slice(0, mostInTable)) {
    if (typeof cell === 'string' && column.texts?.has(cell)) names.add(cell);
    if (names.size === mostWholeNames) break;
  }
  return [...names];
}

/** The columns that have room: figures give way in their order, and last of all other columns. */
function columnsWithin(width: number, columns: readonly PageColumn[]): PageColumn[] {
  const fields = columns.map(({ field }) => field);
  const widths = new Map(columns.map((column, i) => [column, widthOfColumn(column, i === 0)]));
  const rankOf = (column: PageColumn): number => {
    if (column.figure) return rankOfFigure(column.figure, fields);
    return column.type === 'change' ? rankOfClass('change of a row') : 0;
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

/** How many characters a column takes. */
function widthOfColumn(column: PageColumn, isFirst: boolean): number {
  const { label, type, cells, total } = column;
  let widest = Math.max(
    ...label.split(' ').map(widthOf),
    widthOf(total === undefined ? '' : shownText({ ...column, texts: undefined }, total)),
  );
  for (const cell of cells.slice(0, measuredRows)) {
    if (cell !== null) widest = Math.max(widest, widthOf(shownText(column, cell)));
  }

  const isText = type === 'name' || type === 'text';
  if (isFirst && isText) widest = Math.min(nameWidth.most, Math.max(nameWidth.least, widest));
  else if (isText) widest = Math.min(textWidth, widest);
  return widest + cellMargin;
}
