import { createHash } from 'node:crypto';
import { breakdownOfField, fieldLabel, nounOf } from '../../contract/columns.ts';
import { OutputError } from '../../errors.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import { formatCount, formatPlural } from '../../text/quantity.ts';
import { type LeadingFigures, leadingFirst } from '../../view/figures.ts';
import { type Grouping, strangeNotices } from '../../view/grouping.ts';
import { headlineOf } from '../../view/headline.ts';
import { nounOfRow, ReportSums } from '../../view/report-sums.ts';
import { describeReport, listWords } from '../../view/window-text.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { renderCards } from '../html/page-cards.ts';
import { renderFoot, renderMembers } from '../html/page-foot.ts';
import { renderRankings } from '../html/page-rankings.ts';
import { pageScript } from '../html/page-script.ts';
import { pageStyle } from '../html/page-style.ts';
import { embedColumns, type PageTable, renderTable } from '../html/page-table.ts';
import { htmlNumber, htmlText } from '../html/page-text.ts';
import { renderTime } from '../html/page-time.ts';
import { tableOfReport } from '../html/report-table.ts';
import { membersText } from '../provenance.ts';

/** A page with more rows than this opens too slowly. */
const mostRows = 50_000;

/** So many megabytes of a report may its rows be: they are in memory until the page is written. */
const mostMegabytes = 48;

/** A page to mail: everything in one file, which opens without a network and holds what it shows. */
export function createEncoder(options: EncodeOptions): Encoder {
  return new PageEncoder(options);
}

/** Nothing runs and nothing is loaded but what stands in the page, whatever a name in the data says. */
const policy =
  `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('base64');
  return `sha256-${hash}`;
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
    this.#sums.observe(batch, this.#plan.columns);
    this.#keep(rows, batch.sizeBytes);
    // The totals stand before the rows: nothing is written until the last of them is known.
    return [];
  }

  end(tail: ReportTail, warnings: readonly string[] = []): Pieces {
    this.#plan.settle(tail.fields);
    const pieces = [...this.#head(tail, warnings), ...this.#body(tail, warnings)];
    return pieces.map((piece) => Buffer.from(piece));
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

  /** The page down to its notices, which are told to the user on stderr too. */
  #head(tail: ReportTail, warnings: readonly string[]): string[] {
    const { summary, rowCount } = tail;
    const { title, logo, remark, comparison, provenance } = this.#options;
    const description = describeReport(summary, this.#sums);
    const [unit, another] = this.#sums.units;
    const noun = unit && !another ? nounOfRow(unit, description.isMonthly) : 'row';
    const isOneRow = rowCount === 1 && unit === undefined;
    const facts = [description.window, description.zone];
    if (!isOneRow) facts.push(formatPlural(rowCount, noun));
    if (provenance) facts.push(...provenance.filters);
    if (comparison) facts.push(`compared with ${comparison.before}`);

    const factTexts = facts.filter((fact) => fact !== undefined).map(htmlText);
    const heading = htmlText(title ?? description.title);
    const lines = this.#headLines();
    const notices = this.#notices(rowCount).map((notice) => {
      return `<p class="notice">${htmlText(notice)}</p>\n`;
    });
    return [
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${[heading, ...factTexts.slice(0, 1)].join(', ')}</title>
<link rel="icon" href="data:,">
${provenance ? renderMembers(membersText(provenance, tail, warnings)) : ''}<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
${logo === undefined ? '' : `<img class="logo" src="${logo}" alt="">\n`}<h1>${heading}</h1>
<p>${factTexts.map((fact) => `<span>${fact}</span>`).join(' ')}</p>
${lines.join('')}${remark === undefined ? '' : renderRemark(remark)}</header>
`,
      ...notices,
    ];
  }

  #body({ summary }: ReportTail, warnings: readonly string[]): string[] {
    const { comparison, selectedColumns, provenance } = this.#options;
    const sums = this.#sums;
    const figures = this.#figures();
    const { isMonthly } = describeReport(summary, sums);
    const ranked = [...figures.leading, ...figures.others].find(({ derived }) => !derived);

    const grouping = this.#rows ? undefined : sumsToShow(sums);
    const table = tableOfReport({
      plan: this.#plan,
      rows: this.#rows ?? grouping?.rowsOf() ?? [],
      grouping,
      sums,
      lead: figures.leading[0],
      isSelected: selectedColumns !== undefined,
      comparison,
      isMonthly,
      isUnrestricted: (provenance?.filters ?? []).length === 0,
    });
    return [
      renderCards(sums, figures, comparison),
      renderTime({ sums, figures, isMonthly, comparison }),
      renderRankings(sums, ranked, comparison),
      renderTable(table),
      provenance ? renderFoot(provenance, warnings) : '',
      ...dataOf(table),
    ];
  }

  #figures(): LeadingFigures {
    const figures = this.#plan.shown.map(({ figure }) => figure);
    return leadingFirst(figures.filter((figure) => figure !== undefined));
  }

  #notices(rowCount: number): string[] {
    const { note } = this.#options;
    const labelled = this.#plan.columns.map(({ field }) => ({ field, name: fieldLabel(field) }));
    const strange = strangeNotices(this.#sums.total, labelled);
    const summed = this.#rows ? [] : [sumsNotice(sumsToShow(this.#sums), rowCount)];

    for (const notice of summed) note?.(`${notice} Every row: --format csv.`);
    for (const notice of strange) note?.(notice);
    return [...summed, ...strange];
  }

  /** The headline, and in small print what makes the reports unequal that are compared. */
  #headLines(): string[] {
    const { comparison } = this.#options;
    const lines: string[] = [];
    const headline = headlineOf({
      sums: this.#sums,
      lead: this.#figures().leading[0],
      comparison,
    });
    if (headline !== undefined) lines.push(`<p class="headline">${htmlNumber(headline)}.</p>\n`);

    const notices = comparison?.notices ?? [];
    if (notices.length > 0) lines.push(`<p class="small">${htmlText(notices.join(' '))}</p>\n`);
    return lines;
  }
}

/** What the sender says to the readers, in its own lines. */
function renderRemark(remark: string): string {
  const lines = remark.trim().split(/\r?\n/);
  return `<p class="remark">${lines.map(htmlText).join('<br>')}</p>\n`;
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

/** What the script of the page needs of its table, to the end of the page. */
function dataOf(table: PageTable): string[] {
  return [
    `</main>
<script type="application/json" id="data">{"rowCount":${table.rowCount},"columns":[`,
    ...embedColumns(table),
    `]}</script>
<script>${pageScript}</script>
</body>
</html>
`,
  ];
}

/** What the table shows of a report that has more rows than a page holds: by time and breakdown, or by the first that fits. */
function sumsToShow({ course, units, total }: ReportSums): Grouping {
  const groupings = [course, ...units.map(({ groups }) => groups)];
  return groupings.find((grouping) => grouping && grouping.size <= mostRows) ?? total;
}

function sumsNotice({ by, size }: Grouping, rowCount: number): string {
  const rows = `The report has ${formatCount(rowCount)} rows, more than the ${formatCount(mostRows)} that a page holds`;
  const table = size === 1 ? 'the sum of all' : `${formatCount(size)} sums by ${namesOf(by)}`;
  return `${rows}: its table shows ${table} instead. Totals and charts are of all rows.`;
}

/** The fields of a grouping in words; those of a breakdown together are one thing. */
function namesOf(by: Grouping['by']): string {
  const names = new Set<string>();
  for (const { field } of by) {
    const breakdown = breakdownOfField(field);
    names.add(breakdown && !breakdown.time ? nounOf(breakdown) : field);
  }
  return listWords([...names]);
}
