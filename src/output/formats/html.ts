import { createHash } from 'node:crypto';
import {
  breakdownOfField,
  currencyOf,
  fieldLabel,
  metricOfField,
  nounOf,
} from '../../contract/columns.ts';
import { type ReportTail, type Row, rowsOf } from '../../rows/row-batch.ts';
import { formatCount, formatPlural } from '../../text/quantity.ts';
import { type Comparison, changeText, type Figure, leadingFirst } from '../../view/figures.ts';
import { type Grouping, strangeNotices } from '../../view/grouping.ts';
import { ReportSums } from '../../view/report-sums.ts';
import { describeReport, listWords } from '../../view/window-text.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';
import { renderRankings, renderTime, shownFigure } from '../html/page-charts.ts';
import { pageScript } from '../html/page-script.ts';
import { pageStyle } from '../html/page-style.ts';
import { embedColumn, htmlText, pageColumn, renderTable } from '../html/page-table.ts';

const mostRows = 50_000;

/** A page to mail: everything in one file, which opens without a network and holds what it shows. */
export function createEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  let rows: Row[] | undefined = [];
  return {
    encode(batch) {
      plan.follow(batch);
      const objects = rowsOf(batch);
      sums.observe(objects, plan.columns, batch.fields);
      if (rows && rows.length + objects.length > mostRows) rows = undefined;
      for (const row of rows ? objects : []) rows?.push(row);
      // The totals stand before the rows: nothing is written until the last of them is known.
      return [];
    },
    end(tail) {
      plan.settle(tail.fields);
      return renderPage(plan, sums, rows, tail, options).map((piece) => Buffer.from(piece));
    },
  };
}

/** Nothing runs and nothing is loaded but what stands in the page, whatever a name in the data says. */
const policy =
  `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/**
 * The page in pieces; tells the user on stderr where it does not hold every row.
 * @param rows `undefined` where they are more than a page holds
 */
function renderPage(
  plan: ColumnPlan,
  sums: ReportSums,
  rows: readonly Row[] | undefined,
  { summary, rowCount }: ReportTail,
  { title, selectedColumns, comparison, note }: EncodeOptions,
): string[] {
  const { leading, others } = leadingFirst(plan.shown.flatMap(({ figure }) => figure ?? []));
  const described = describeReport(summary, sums);
  const grouping = rows ? undefined : sumsToShow(sums);
  const summed = grouping ? [sumsNotice(grouping, rowCount)] : [];
  const labelled = plan.columns.map(({ field }) => ({ field, name: fieldLabel(field) }));
  const strange = strangeNotices(sums.total, labelled);
  for (const notice of [
    ...summed.map((sentence) => `${sentence} Every row: --format csv.`),
    ...strange,
  ])
    note?.(notice);
  const notices = [...summed, ...strange, ...(comparison?.notices ?? [])];
  const against = comparison && `compared with ${comparison.before}`;
  const facts = [described.window, described.zone, formatPlural(rowCount, 'row'), against];
  const shown = facts.flatMap((fact) => (fact === undefined ? [] : htmlText(fact)));
  const heading = htmlText(title ?? described.title);
  const figure = [...leading, ...others].find(({ derived }) => !derived);

  const tableRows = grouping?.rowsOf() ?? rows ?? [];
  const columns = plan.columns
    .filter(
      ({ field, figure }) => figure || !grouping || grouping.by.some((key) => key.field === field),
    )
    .map((column) => pageColumn(column, tableRows, sums.total.totals()))
    // A column without any value is left out, unless it was chosen.
    .filter(
      ({ cells }) => selectedColumns || cells.length === 0 || cells.some((cell) => cell !== null),
    );
  return [
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${[heading, ...shown.slice(0, 1)].join(', ')}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${heading}</h1>
<p>${shown.map((fact) => `<span>${fact}</span>`).join(' ')}</p>
</header>
${notices.map((notice) => `<p class="notice">${htmlText(notice)}</p>\n`).join('')}`,
    renderCards(sums, leading, others, rowCount, comparison),
    renderTime(sums, leading, others, described.isMonthly),
    renderRankings(sums, figure, comparison),
    renderTable(grouping ? 'Sums' : 'Rows', columns, tableRows.length),
    `</main>
<script type="application/json" id="data">{"rowCount":${tableRows.length},"columns":[`,
    ...columns.map((column, i) => (i === 0 ? '' : ',\n') + embedColumn(column)),
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
  // A breakdown's fields together are one thing.
  const names = by.map(({ field }) => {
    const breakdown = breakdownOfField(field);
    return breakdown && !breakdown.time ? nounOf(breakdown) : field;
  });
  const table =
    size === 1
      ? 'the sum of all'
      : `${formatCount(size)} sums by ${listWords([...new Set(names)])}`;
  return `The report has ${formatCount(rowCount)} rows, more than the ${formatCount(mostRows)} that a page holds: its table shows ${table} instead. Totals and charts are of all rows.`;
}

/** The totals, those that lead larger than the others. */
function renderCards(
  sums: ReportSums,
  leading: readonly Figure[],
  others: readonly Figure[],
  rowCount: number,
  comparison: Comparison | undefined,
): string {
  const totals = sums.total.totals();
  const before = comparison?.sums.total.totals();
  const [first, more] = [leading, others].map((figures) => {
    const cards = figures.map((figure) => {
      const { field, derived, type } = figure;
      const zero = derived ? '–' : currencyOf(field) + (type === 'money' ? '0.00' : '0');
      const text = rowCount === 0 ? zero : shownFigure(figure, totals);
      if (derived && text === '–') return '';
      const hint = derived?.meaning ?? metricOfField(field)?.meaning ?? '';
      const change =
        before && `${changeText(figure, totals, before)} · ${shownFigure(figure, before)} before`;
      const below = change ? `<dd class="change">${htmlText(change)}</dd>` : '';
      const long = text.length > 11 ? ' class="long"' : '';
      return `<div title="${htmlText(hint)}"><dt>${htmlText(fieldLabel(field))}</dt><dd${long}>${htmlText(text)}</dd>${below}</div>\n`;
    });
    return cards.join('');
  });
  if (!first) return '';
  const further = more ? `<dl class="cards more">\n${more}</dl>` : '';
  return `<section aria-label="Totals"><dl class="cards">\n${first}</dl>${further}</section>\n`;
}
