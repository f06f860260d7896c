import { createHash } from 'node:crypto';
import { breakdownOfField, currencyOf, fieldLabel, metricOfField, nounOf } from '../../contract/columns.ts';
import { type ReportTail, type Row, rowsOf } from '../../rows/row-batch.ts';
import { formatCount, formatPlural } from '../../text/quantity.ts';
import { changeText, type Figure, leadingFirst } from '../../view/figures.ts';
import { type Grouping, rowsOfGroups, strangeNotices } from '../../view/grouping.ts';
import { nounOfUnit, ReportSums } from '../../view/report-sums.ts';
import { layOutTime } from '../../view/time-axis.ts';
import { type Description, describeReport, listWords } from '../../view/window-text.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';
import { courseChart, rankings, shownFigure, timeChart } from '../html/page-charts.ts';
import { pageScript } from '../html/page-script.ts';
import { pageStyle } from '../html/page-style.ts';
import { embedColumn, embedJson, htmlText, pageColumn, renderTable } from '../html/page-table.ts';

/** As many rows as a page holds: more would open slowly, and nobody reads them. */
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
      return renderPage({ plan, sums, rows, tail, options }).map((piece) => Buffer.from(piece));
    },
  };
}

/** What a page is made from, once the last row is known; `rows` is `undefined` where a page does not hold them. */
interface Findings {
  readonly plan: ColumnPlan;
  readonly sums: ReportSums;
  readonly rows: readonly Row[] | undefined;
  readonly tail: ReportTail;
  readonly options: EncodeOptions;
}

/** Nothing runs and nothing is loaded but what stands in the page, whatever a name in the data says. */
const policy =
  `default-src 'none'; script-src '${hashOf(pageScript)}'; style-src '${hashOf(pageStyle)}'; ` +
  "img-src data:; base-uri 'none'; form-action 'none'";

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The page in pieces; tells the user on stderr where it does not hold every row. */
function renderPage(findings: Findings): string[] {
  const { plan, sums, rows, tail, options } = findings;
  const { comparison, note } = options;
  const { leading, others } = leadingFirst(plan.shown.flatMap(({ figure }) => figure ?? []));
  const described = describeReport(tail.summary, sums);
  const title = options.title ?? described.title;
  const grouping = rows ? undefined : sumsToShow(sums);
  const summed = grouping ? [sumsNotice(grouping, tail.rowCount)] : [];
  const labelled = plan.columns.map(({ field }) => ({ field, name: fieldLabel(field) }));
  const strange = strangeNotices(sums.total, labelled);
  for (const notice of summed) note?.(`${notice} Every row: --format csv.`);
  for (const notice of strange) note?.(notice);
  const notices = [...summed, ...strange, ...(comparison?.notices ?? [])];
  const against = comparison && `compared with ${comparison.before}`;
  const facts = [described.window, described.zone, formatPlural(tail.rowCount, 'row'), against];
  const shown = facts.flatMap((fact) => (fact === undefined ? [] : htmlText(fact)));
  const time = renderTime(findings, leading, others, described);

  const tableRows = grouping ? rowsOfGroups(grouping, grouping.by) : (rows ?? []);
  const isGiven = (field: string) => !grouping || grouping.by.some((key) => key.field === field);
  const columns = plan.columns
    .filter(({ field, figure }) => figure || isGiven(field))
    .map((column) => pageColumn(column, tableRows, sums.total.totals()))
    // A column without any value is left out, unless it was chosen.
    .filter(({ cells }) => options.select || cells.length === 0 || cells.some((cell) => cell !== null));
  return [
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="adreport">
<title>${[htmlText(title), ...shown.slice(0, 1)].join(', ')}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>${htmlText(title)}</h1>
<p>${shown.map((fact) => `<span>${fact}</span>`).join(' ')}</p>
</header>
${notices.map((notice) => `<p class="notice">${htmlText(notice)}</p>\n`).join('')}`,
    renderCards(findings, leading, others),
    time.html,
    renderRankings(findings, [...leading, ...others]),
    renderTable(grouping ? 'Sums' : 'Rows', columns, tableRows.length),
    `</main>
<div id="tip" role="status" hidden></div>
<script type="application/json" id="data">{"times":${embedJson(time.times)},"rowCount":${tableRows.length},"columns":[`,
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
  const table = size === 1 ? 'the sum of all' : `${formatCount(size)} sums by ${listWords([...new Set(names)])}`;
  return `The report has ${formatCount(rowCount)} rows, more than the ${formatCount(mostRows)} that a page holds: its table shows ${table} instead. Totals and charts are of all rows.`;
}

/** The totals, those that lead larger than the others. */
function renderCards({ sums, tail, options }: Findings, leading: readonly Figure[], others: readonly Figure[]): string {
  const totals = sums.total.totals();
  const before = options.comparison?.sums.total.totals();
  const cardOf = (figure: Figure): string => {
    const { field, derived, type } = figure;
    const zero = derived ? '–' : currencyOf(field) + (type === 'money' ? '0.00' : '0');
    const text = tail.rowCount === 0 ? zero : shownFigure(figure, totals);
    if (derived && text === '–') return '';
    const hint = derived?.meaning ?? metricOfField(field)?.meaning ?? '';
    const change = before && `${changeText(figure, totals, before)} · ${shownFigure(figure, before)} before`;
    const below = change ? `<dd class="change">${htmlText(change)}</dd>` : '';
    const long = text.length > 11 ? ' class="long"' : '';
    return `<div title="${htmlText(hint)}"><dt>${htmlText(fieldLabel(field))}</dt><dd${long}>${htmlText(text)}</dd>${below}</div>\n`;
  };
  const [first, more] = [leading, others].map((figures) => figures.map(cardOf).join(''));
  if (!first) return '';
  const further = more ? `<dl class="cards more">\n${more}</dl>` : '';
  return `<section aria-label="Totals"><dl class="cards">\n${first}</dl>${further}</section>\n`;
}

/** The charts over time: the first figure by the greatest values of a breakdown, then every figure as a whole. */
function renderTime(
  { sums }: Findings,
  leading: readonly Figure[],
  others: readonly Figure[],
  { time: asked }: Description,
) {
  const groups = [...(sums.units.find(({ unit }) => unit.isTime)?.groups ?? [])];
  const axis = layOutTime(groups, asked === 'MONTHLY');
  const [lead] = leading;
  if (!axis || !lead) return { html: '', times: null };
  const unit = sums.units.find((each) => !each.unit.isTime);
  const lines = unit && sums.course ? courseChart(lead, axis, unit, sums.course) : [];
  const [first, more] = [leading, others].map((figures) => figures.flatMap((figure) => timeChart(figure, axis)));
  const charts = [lines, first ?? [], more ?? []];
  const [linesHtml, firstHtml, moreHtml] = charts.map((part) => part.map((chart) => chart.html).join(''));
  const details = `<details><summary>Other figures over time</summary>\n<div class="charts">\n${moreHtml}</div></details>`;
  return {
    html: `<section><h2>Over time</h2>\n${linesHtml}<div class="charts">\n${firstHtml}</div>${moreHtml && details}</section>\n`,
    times: { labels: axis.labels, numbers: charts.flat().map(({ texts }) => texts) },
  };
}

/** The greatest values of each breakdown, by the first figure unless the reader chooses another. */
function renderRankings({ sums, options }: Findings, all: readonly Figure[]): string {
  const figures = all.filter(({ derived }) => !derived);
  const units = sums.units.filter(({ unit }) => !unit.isTime);
  if (figures.length === 0 || units.length === 0) return '';
  const totals = sums.total.totals();
  const labels = figures.map(({ field }) => htmlText(fieldLabel(field)));
  const choices = labels.map((label, i) => `<option value="${i}">${label}</option>`).join('');
  const charts = units.map((each) => {
    const title = htmlText(nounOfUnit(each.unit));
    return `<section class="bars"><h3>${title}</h3>${rankings(each, figures, totals, options.comparison)}</section>\n`;
  });
  return `<section><div class="head"><h2>Top values</h2><p class="by">by <b>${labels[0]}</b></p><label class="by" hidden>by <select id="rank">${choices}</select></label></div>
<div class="ranks">
${charts.join('')}</div></section>
`;
}
