import { createHash } from 'node:crypto';
import { OutputError } from '../errors.ts';
import { ColumnPlan } from '../output/column-plan.ts';
import type { EncodeOptions, Encoder, Pieces, ReportMessages } from '../output/encoder.ts';
import pageScript from '../present/page/browser/page-script.ts?bundled';
import { renderCards } from '../present/page/page-cards.ts';
import { paperFoot, renderFoot } from '../present/page/page-foot.ts';
import { renderEarlier, renderRankings } from '../present/page/page-rankings.ts';
import { pageStyle } from '../present/page/page-style.ts';
import { embedTable, type PageTable, pageFilter, renderTable } from '../present/page/page-table.ts';
import { htmlText, sentenceHtml } from '../present/page/page-text.ts';
import { renderTime } from '../present/page/page-time.ts';
import { stylePaper } from '../present/page/paper-style.ts';
import {
  type TableParts,
  tableOfFirstUnit,
  tableOfGroups,
  tableOfRows,
} from '../present/page/report-table.ts';
import { buildReportModel, type ReportModel } from '../present/report-model.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../rows/row-batch.ts';
import { formatCount } from '../text/quantity.ts';
import { ReportSums } from '../totals/report-sums.ts';

/** Pages with more rows open too slowly. */
const maxRows = 50_000;

/** For the rows of a page, which are in memory until it is written. */
const maxMegabytes = 48;

/** Allows only scripts and resources contained in the page, whatever names in the data contain. */
function policyFor(style: string): string {
  return (
    `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(style)}'; ` +
    "img-src data:; base-uri 'none'; form-action 'none'"
  );
}

function hashOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64');
  return `sha256-${hash}`;
}

/** Writes one file that opens without a network. */
export class PageEncoder implements Encoder {
  readonly #options: EncodeOptions;

  readonly #plan: ColumnPlan;

  readonly #sums = new ReportSums();

  /** `undefined` once there are too many for a page. */
  #rows: Row[] | undefined = [];

  #rowBytes = 0;

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    const rows = rowsOf(batch);
    this.#sums.observe(batch, this.#plan.columns);
    this.#keep(rows, batch.sizeBytes);
    // The totals precede the rows, so nothing is written before the end.
    return [];
  }

  end(tail: ReportTail, messages?: ReportMessages): Pieces {
    this.#plan.settle(tail.fields);
    const sums = this.#sums;
    const model = buildReportModel({
      plan: this.#plan,
      sums,
      tail,
      options: this.#options,
      messages,
    });
    const { title, facts } = model;
    const tables = this.#tables(model);
    const isLandscape = tables.some(({ paper }) => paper.isLandscape);
    const paperStyle = stylePaper(title, facts.get('Period') ?? '', isLandscape);

    const pieces = [
      ...this.#head(model, `${pageStyle}${paperStyle}`),
      ...this.#notes(tail.rowCount).map((note) => `<p class="note">${htmlText(note)}</p>\n`),
      ...this.#body(model),
      ...pageEnd(model, tables),
    ];
    return pieces.map((piece) => Buffer.from(piece));
  }

  #keep(rows: readonly Row[], sizeBytes: number): void {
    if (!this.#rows) return;
    if (this.#rows.length + rows.length > maxRows) {
      this.#rows = undefined;
      return;
    }

    this.#rowBytes += sizeBytes;
    if (this.#rowBytes > maxMegabytes * 1_000_000) throw pageTooLarge();
    for (const row of rows) this.#rows.push(row);
  }

  /** Ends with the warnings. */
  #head(model: ReportModel, style: string): string[] {
    const { title, facts, headline, compared, remark, warnings } = model;
    const factTexts: string[] = [];
    for (const [name, text] of facts) {
      factTexts.push(htmlText(name === 'Compared with' ? `compared with ${text}` : text));
    }
    const heading = htmlText(title);
    const window = facts.get('Period');
    const windowText = window === undefined ? '' : `, ${htmlText(window)}`;
    const lines = [
      paragraph('headline', headline === undefined ? '' : sentenceHtml(headline)),
      paragraph('small', compared === undefined ? '' : htmlText(compared)),
      paragraph('remark', remark.map(htmlText).join('<br>')),
    ];
    return [
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policyFor(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${heading}${windowText}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<header>
<h1>${heading}</h1>
<p>${factTexts.map((fact) => `<span>${fact}</span>`).join(' ')}</p>
${lines.join('')}</header>
`,
      ...warnings.map((warning) => `<p class="warning">${htmlText(warning)}</p>\n`),
    ];
  }

  /** Returns the tables of the report, or of the earlier one if this one has no rows. */
  #tables(model: ReportModel): PageTable[] {
    const { comparison } = this.#options;
    const { past } = model;
    const parts = this.#tableParts();
    if (past && comparison) {
      const { sums } = comparison;
      const table = tableOfFirstUnit({ ...parts, model: past, sums, comparison: undefined });
      return table ? [table] : [];
    }
    if (model.empty !== undefined) return [];

    const whole = { ...parts, model, sums: this.#sums, comparison };
    const rows = this.#rows;
    const tables = rows
      ? [tableOfGroups(whole), tableOfRows({ ...whole, rows })]
      : [tableOfFirstUnit(whole)];
    return tables.filter((table) => table !== undefined);
  }

  /** Returns what is between the warnings and the tables. */
  #body(model: ReportModel): string[] {
    const { comparison } = this.#options;
    const sums = this.#sums;
    const cards = renderCards(model, { sums, comparison });
    const { past, empty } = model;
    if (empty === undefined) return [cards, renderTime(model), renderRankings(model.rankings)];

    const sentence = `<p class="empty">${htmlText(empty)}</p>\n`;
    if (!past || !comparison) return [sentence];
    return [sentence, cards, renderEarlier(model, comparison.before), renderTime(past)];
  }

  #tableParts(): Pick<TableParts, 'plan' | 'isSelected'> {
    return { plan: this.#plan, isSelected: this.#options.selectedColumns !== undefined };
  }

  #notes(rowCount: number): string[] {
    const { note } = this.#options;
    if (this.#rows) return [];

    const sentence = tooManyRows(rowCount);
    note?.(`${sentence} --format csv has them.`);
    return [sentence];
  }
}

function paragraph(name: string, html: string): string {
  return html === '' ? '' : `<p class="${name}">${html}</p>\n`;
}

function pageTooLarge(): OutputError {
  return new OutputError(
    `The report has more than ${maxMegabytes} MB of rows, the limit of a page.`,
    {
      code: 'TOO_LARGE',
      hint: 'Select fewer columns with --columns, or write CSV or Parquet.',
    },
  );
}

/** Returns the tables and everything after them. */
function pageEnd(model: ReportModel, tables: readonly PageTable[]): string[] {
  const foot = paperFoot(model, tables);
  // After a printed table, a separate footer could end up alone on a sheet of paper.
  const last = tables.findLast(({ paper }) => paper.isPrinted);
  const rendered = tables.map((table) => renderTable(table, table === last ? foot : ''));
  const hasSeveralRows = tables.some(({ rowCount }) => rowCount > 1);
  if (hasSeveralRows) rendered.unshift(pageFilter);
  return [...rendered, renderFoot(model, last ? undefined : foot), ...embeddedData(tables)];
}

/** Returns the data for the page's script, and the end of the page. */
function embeddedData(tables: readonly PageTable[]): string[] {
  const embedded = tables.flatMap((table, i) => [i === 0 ? '' : ',', ...embedTable(table)]);
  return [
    `</main>
<script type="application/json" id="data">[`,
    ...embedded,
    `]</script>
<script>${pageScript}</script>
</body>
</html>
`,
  ];
}

function tooManyRows(rowCount: number): string {
  const limit = formatCount(maxRows);
  return `The report has ${formatCount(rowCount)} rows. A page lists at most ${limit}, so they are not in it; its charts and totals include them.`;
}
