import { createHash } from 'node:crypto';
import {
  breakdownOfField,
  currencyOf,
  fieldLabel,
  metricOfField,
  nounOf,
} from '../../contract/columns.ts';
import { OutputError } from '../../errors.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import { formatCount, formatPlural } from '../../text/quantity.ts';
import { type Comparison, changeText, type Figure, leadingFirst } from '../../view/figures.ts';
import { type Grouping, type Sums, strangeNotices } from '../../view/grouping.ts';
import { ReportSums } from '../../view/report-sums.ts';
import { describeReport, listWords } from '../../view/window-text.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { renderRankings, renderTime, shownFigure } from '../html/page-charts.ts';
import { pageScript } from '../html/page-script.ts';
import { pageStyle } from '../html/page-style.ts';
import {
  embedColumn,
  htmlText,
  type PageColumn,
  pageColumn,
  renderTable,
} from '../html/page-table.ts';

/** A page with more rows than this opens too slowly. */
const mostRows = 50_000;

/** So many megabytes of a report may its rows be: they are in memory until the page is written. */
const mostMegabytes = 48;

/** A page to mail: everything in one file, which opens without a network and holds what it shows. */
export function createEncoder(options: EncodeOptions): Encoder {
  return new PageEncoder(options);
}

class PageEncoder implements Encoder {
  readonly #options: EncodeOptions;
  readonly #plan: ColumnPlan;
  readonly #sums = new ReportSums();

  /** The rows so far; `undefined` once they are more than a page holds. */
  #rows: Row[] | undefined = [];
  #rowBytes = 0;

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    const rows = rowsOf(batch);
    this.#sums.observe(rows, this.#plan.columns, batch.fields);
    this.#keep(rows, batch.sizeBytes);
    // The totals stand before the rows: nothing is written until the last of them is known.
    return [];
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    return this.#render(tail).map((piece) => Buffer.from(piece));
  }

  #keep(rows: readonly Row[], sizeBytes: number): void {
    if (!this.#rows) return;
    if (this.#rows.length + rows.length > mostRows) {
      this.#rows = undefined;
      return;
    }

    this.#rowBytes += sizeBytes;
    if (this.#rowBytes > mostMegabytes * 1_000_000) throw pageTooLarge();
    for (const row of rows) this.#rows.push(row);
  }

  /** The page in pieces. The user is told on stderr where it does not hold every row. */
  #render({ summary, rowCount }: ReportTail): string[] {
    const { title, comparison } = this.#options;
    const sums = this.#sums;
    const described = describeReport(summary, sums);
    const heading = htmlText(title ?? described.title);
    const facts = [
      described.window,
      described.zone,
      formatPlural(rowCount, 'row'),
      comparison && `compared with ${comparison.before}`,
    ];
    const factTexts = facts.flatMap((fact) => (fact === undefined ? [] : htmlText(fact)));

    const grouping = this.#rows ? undefined : sumsToShow(sums);
    const notices = this.#notices(grouping, rowCount);
    const tableRows = grouping?.rowsOf() ?? this.#rows ?? [];
    const columns = this.#pageColumns(grouping, tableRows);

    const figures = this.#plan.shown.flatMap(({ figure }) => figure ?? []);
    const { leading, others } = leadingFirst(figures);
    const ranked = [...leading, ...others].find(({ derived }) => !derived);
    return [
      headHtml([heading, ...factTexts.slice(0, 1)].join(', ')),
      headerHtml(heading, factTexts, notices),
      renderCards({ sums, leading, others, rowCount, comparison }),
      renderTime(sums, leading, others, described.isMonthly),
      renderRankings(sums, ranked, comparison),
      renderTable(grouping ? 'Sums' : 'Rows', columns, tableRows.length),
      ...footHtml(columns, tableRows.length),
    ];
  }

  /** The sentences above the figures; those that the reader of the page could not know otherwise go to the user too. */
  #notices(grouping: Grouping | undefined, rowCount: number): string[] {
    const { note, comparison } = this.#options;
    const notices: string[] = [];
    if (grouping) {
      const sentence = sumsNotice(grouping, rowCount);
      notices.push(sentence);
      note?.(`${sentence} Every row: --format csv.`);
    }

    const labelled = this.#plan.columns.map(({ field }) => ({ field, name: fieldLabel(field) }));
    for (const notice of strangeNotices(this.#sums.total, labelled)) {
      notices.push(notice);
      note?.(notice);
    }
    return [...notices, ...(comparison?.notices ?? [])];
  }

  /** The columns of the table. One without any value is left out, unless columns were chosen. */
  #pageColumns(grouping: Grouping | undefined, rows: readonly Row[]): PageColumn[] {
    const totals = this.#sums.total.totals();
    const keys = grouping?.by.map(({ field }) => field);
    const columns: PageColumn[] = [];
    for (const planned of this.#plan.columns) {
      const isSummed = planned.figure !== undefined || keys?.includes(planned.field);
      if (keys && !isSummed) continue;

      const column = pageColumn(planned, rows, totals);
      const isEmpty = column.cells.length > 0 && column.cells.every((cell) => cell === null);
      if (isEmpty && !this.#options.selectedColumns) continue;
      columns.push(column);
    }
    return columns;
  }
}

function pageTooLarge(): OutputError {
  return new OutputError(
    `The rows of the report take more than ${mostMegabytes} MB, which is all that a page holds.`,
    {
      code: 'TOO_LARGE',
      hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
    },
  );
}

/** Nothing runs and nothing is loaded but what stands in the page, whatever a name in the data says. */
const policy =
  `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function headHtml(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
`;
}

/** @param heading as HTML, as are the facts @param notices as text */
function headerHtml(heading: string, facts: readonly string[], notices: readonly string[]): string {
  const factsHtml = facts.map((fact) => `<span>${fact}</span>`).join(' ');
  const noticesHtml = notices
    .map((notice) => `<p class="notice">${htmlText(notice)}</p>\n`)
    .join('');
  return `<header>
<h1>${heading}</h1>
<p>${factsHtml}</p>
</header>
${noticesHtml}`;
}

/** The rest of the page, which embeds its rows. */
function footHtml(columns: readonly PageColumn[], rowCount: number): string[] {
  const embedded = columns.map((column, i) => (i === 0 ? '' : ',\n') + embedColumn(column));
  return [
    `</main>
<script type="application/json" id="data">{"rowCount":${rowCount},"columns":[`,
    ...embedded,
    `]}</script>
<script>${pageScript}</script>
</body>
</html>
`,
  ];
}

/** What the table shows of a report that has more rows than a page holds: by time and breakdown, or by the first that fits. */
function sumsToShow({ course, units, total }: ReportSums): Grouping {
  const all = [course, ...units.map(({ groups }) => groups)];
  return all.find((grouping) => grouping && grouping.size <= mostRows) ?? total;
}

function sumsNotice({ by, size }: Grouping, rowCount: number): string {
  const table = size === 1 ? 'the sum of all' : `${formatCount(size)} sums by ${keysText(by)}`;
  return (
    `The report has ${formatCount(rowCount)} rows, more than the ${formatCount(mostRows)} that a page holds: ` +
    `its table shows ${table} instead. Totals and charts are of all rows.`
  );
}

/** What rows are grouped by, in words; the fields of one breakdown together are one thing. */
function keysText(keys: Grouping['by']): string {
  const names = new Set<string>();
  for (const { field } of keys) {
    const breakdown = breakdownOfField(field);
    names.add(breakdown && !breakdown.time ? nounOf(breakdown) : field);
  }
  return listWords([...names]);
}

/** What the cards of the totals are made of. */
interface CardFigures {
  readonly sums: ReportSums;
  readonly leading: readonly Figure[];
  readonly others: readonly Figure[];
  readonly rowCount: number;
  readonly comparison: Comparison | undefined;
}

/** The totals, those that lead larger than the others. */
function renderCards(cards: CardFigures): string {
  const leading = cards.leading.map((figure) => cardHtml(figure, cards)).join('');
  const others = cards.others.map((figure) => cardHtml(figure, cards)).join('');
  if (leading === '') return '';

  const further = others === '' ? '' : `<dl class="cards more">\n${others}</dl>`;
  return `<section aria-label="Totals"><dl class="cards">\n${leading}</dl>${further}</section>\n`;
}

/** The card of one total; none of a rate that the totals do not give. */
function cardHtml(figure: Figure, { sums, rowCount, comparison }: CardFigures): string {
  const totals = sums.total.totals();
  const text = rowCount === 0 ? zeroText(figure) : shownFigure(figure, totals);
  if (figure.derived && text === '–') return '';

  const meaning = figure.derived?.meaning ?? metricOfField(figure.field)?.meaning ?? '';
  const label = htmlText(fieldLabel(figure.field));
  const long = text.length > 11 ? ' class="long"' : '';
  const value = `<dd${long}>${htmlText(text)}</dd>`;
  const change = comparison ? changeHtml(figure, totals, comparison) : '';
  return `<div title="${htmlText(meaning)}"><dt>${label}</dt>${value}${change}</div>\n`;
}

/** The total of a report without rows. */
function zeroText({ field, derived, type }: Figure): string {
  if (derived) return '–';
  return currencyOf(field) + (type === 'money' ? '0.00' : '0');
}

function changeHtml(figure: Figure, totals: Sums, comparison: Comparison): string {
  const before = comparison.sums.total.totals();
  const change = changeText(figure, totals, before);
  const text = `${change} · ${shownFigure(figure, before)} before`;
  return `<dd class="change">${htmlText(text)}</dd>`;
}
