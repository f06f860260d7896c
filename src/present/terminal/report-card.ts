import { metricOfField } from '../../contract/columns.ts';
import type { EncodeOptions, TableLook, TableStyle } from '../../output/encoder.ts';
import { defaultMetrics, type ReportMetric } from '../../query/metrics.ts';
import { measureWidth } from '../../text/cell-width.ts';
import type { Change } from '../../totals/change.ts';
import type { Comparison } from '../../totals/comparison.ts';
import type { GroupedTotals, Sums } from '../../totals/grouped-totals.ts';
import { formatMetric } from '../../totals/report-metrics.ts';
import { chooseMetrics } from '../choose-metrics.ts';
import { listTotals } from '../report-model.ts';
import { changeColor, wrapComparison } from './table-lines.ts';

const gap = '  ';

export interface CardOptions {
  /** Metrics to show, in order. Default: the main metrics. */
  readonly metrics?: readonly ReportMetric[] | undefined;

  /** Adds the changes next to the metrics. */
  readonly comparison?: Comparison | undefined;

  /** Labels as in `EncodeOptions`. */
  readonly labels?: EncodeOptions['labels'];
}

/** Formats the main metrics of a report as a card on a terminal, otherwise as lines for a log. */
export function formatSummary(
  report: GroupedTotals,
  { isTerminal, look }: { readonly isTerminal: boolean; readonly look: TableLook },
  options: CardOptions = {},
): string[] {
  return isTerminal ? drawCard(report, look, options) : formatTotals(report, options);
}

/** Arranges the main metrics of a report, and their changes, in a few lines. */
export function drawCard(
  report: GroupedTotals,
  look: TableLook = {},
  options: CardOptions = {},
): string[] {
  const { comparison } = options;
  const metrics = chooseCardMetrics(report, options);
  const lines = arrangeInColumns(listItems(metrics, report.totals(), comparison), look);

  const { width = 80 } = look;
  const comparisonLines = comparison ? wrapComparison(comparison, width - gap.length) : [];
  return [...lines, ...comparisonLines.map((line) => gap + line)];
}

/** Lists the main metrics of a report, and their changes, in one line for a log. */
function formatTotals(report: GroupedTotals, options: CardOptions = {}): string[] {
  const { comparison } = options;
  const items = listItems(chooseCardMetrics(report, options), report.totals(), comparison);
  const totals = items.map(({ label, text, change }) => {
    return change ? `${label} ${text} (${change.text})` : `${label} ${text}`;
  });
  const lines = totals.length > 0 ? [totals.join(', ')] : [];
  if (comparison) lines.push(...wrapComparison(comparison));
  return lines.map((line) => gap + line);
}

/** Chooses the metrics of a card. Metrics without a value are omitted. */
function chooseCardMetrics(
  report: GroupedTotals,
  { metrics, labels }: CardOptions,
): ReportMetric[] {
  const totals = report.totals();
  const chosen = metrics ?? chooseMetrics(defaultMetrics(report.metrics), totals);
  const known = chosen.filter(({ computed, field }) => computed || totals.get(field) !== undefined);
  return known.map((metric) => {
    const name = metricOfField(metric.field)?.name ?? metric.field;
    return { ...metric, label: labels?.get(name) ?? metric.label };
  });
}

interface CardItem {
  readonly label: string;
  readonly text: string;
  readonly change?: Change | undefined;
}

function listItems(
  metrics: readonly ReportMetric[],
  totals: Sums,
  comparison: Comparison | undefined,
): CardItem[] {
  return listTotals(metrics, totals, comparison).map(({ metric, change }) => {
    const text = formatMetric(metric, totals) ?? '–';
    return { label: metric.label, text, change };
  });
}

/** Arranges items in as many columns as fit. Columns are filled from top to bottom. */
function arrangeInColumns(items: readonly CardItem[], { width = 80, style }: TableLook): string[] {
  const labelWidth = Math.max(0, ...items.map(({ label }) => measureWidth(label)));
  const textWidth = Math.max(0, ...items.map(({ text }) => measureWidth(text)));
  const changeWidth = Math.max(0, ...items.map(({ change }) => measureWidth(change?.text ?? '')));
  const itemWidth = labelWidth + 1 + textWidth + (changeWidth > 0 ? gap.length + changeWidth : 0);
  const perLine = Math.max(1, Math.floor(width / (itemWidth + gap.length)));
  const height = Math.ceil(items.length / perLine);

  const lines = Array.from({ length: height }, () => '');
  for (const [i, { label, text, change }] of items.entries()) {
    const padding = ' '.repeat(
      labelWidth + 1 + textWidth - measureWidth(label) - measureWidth(text),
    );
    const line = i % height;
    lines[line] += `${gap}${style?.dim(label) ?? label}${padding}${text}`;
    if (change) lines[line] += gap + formatChange(change, changeWidth, style);
  }
  return lines;
}

/** Right-aligns and colors a change. */
function formatChange(change: Change, width: number, style: TableStyle | undefined): string {
  const paint = style && changeColor(change, style);
  return ' '.repeat(width - measureWidth(change.text)) + (paint?.(change.text) ?? change.text);
}
