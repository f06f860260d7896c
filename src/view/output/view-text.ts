import { UsageError } from '../../errors.ts';
import { ColumnPlan } from '../../output/column-plan.ts';
import type { TableLook } from '../../output/encoder.ts';
import { groupBars, groupLines, groupTable } from '../../present/terminal/group-text.ts';
import { reportCard } from '../../present/terminal/report-card.ts';
import { reportLines } from '../../present/terminal/report-lines.ts';
import { describeWindow } from '../../query/calendar.ts';
import { describeQuery, toRequestRecord } from '../../query/describe.ts';
import { labelsByMetric } from '../../query/flags/read-value.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import type { Context } from '../../run/context.ts';
import { tableLook } from '../../run/prepare-files.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import { formatBytes, formatPlural } from '../../text/quantity.ts';
import { isTime, type KeyColumn } from '../../totals/group-keys.ts';
import {
  groupsAsJson,
  metricsAsJson,
  objectOf,
  type RankedGroups,
} from '../../totals/ranked-groups.ts';
import { formatZone } from '../../totals/report-description.ts';
import { ReportSums } from '../../totals/report-sums.ts';
import { fieldsOfRows } from '../answer/rows-answer.ts';
import { leadingFigure, rankedGroupsOf } from '../answer/shown-figures.ts';
import { formatMembers, warningsOf } from '../member-lines.ts';
import { findDaySpan } from '../rows/rows-of-period.ts';
import type { View } from '../view.ts';

/** Bars without `--top`. */
const maxBars = 20;

/** Throws `UsageError` if a chart cannot draw the groups. */
function ranked(view: View): RankedGroups {
  const { chart } = view.options;
  if (chart) expectDrawable(chart, view.groups.by);
  return rankedGroupsOf(view, chart === 'bar' ? maxBars : undefined);
}

/** Throws `UsageError` for bars without groups, or a line whose key is not time. */
function expectDrawable(chart: 'bar' | 'line', keys: readonly KeyColumn[]): void {
  const canDraw = chart === 'bar' ? keys.length > 0 : keys.some(({ field }) => isTime(field));
  if (canDraw) return;

  const needs = chart === 'bar' ? 'groups' : 'days or hours';
  throw new UsageError(`--chart ${chart} needs ${needs}.`, {
    hint: 'Add --by, for example --by CAMPAIGN for bars, --by DAILY for a line.',
  });
}

/** Members of a file other than its rows. */
const memberNames = ['request', 'key', 'reportId', 'fetchedAt', 'warnings'];

function memberOf({ members }: ReportTail, name: string): string | undefined {
  return members.find((member) => member.name === name)?.json.toString();
}

export function documentOf(view: View): string {
  const { paths, collected, groups, sources, warnings, notes } = view;
  const rankedGroups = ranked(view);
  const [tail, another] = collected.tails;
  const only = another ? undefined : tail;
  const isOfFolder = sources.query !== undefined;
  const { window } = sources;
  const span = window ? describeWindow(window) : undefined;
  const folderMembers = {
    files: collected.tails.length,
    request: sources.query ? toRequestRecord(sources.query) : null,
    since: span?.since ?? null,
    until: span?.until ?? null,
    warnings,
    notes,
  };
  const fileMembers =
    warnings.length > 0 ? { warnings: [...warningsOf(only?.members ?? []), ...warnings] } : {};
  const known = Object.entries(isOfFolder ? folderMembers : fileMembers);
  const ofFile = memberNames.map((name): [string, string] => {
    return [name, (only && memberOf(only, name)) ?? 'null'];
  });
  const members = new Map([
    ...ofFile,
    ...known.map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
  ]);

  const text = objectOf([
    { name: 'file', json: JSON.stringify(paths.length === 1 ? paths[0] : paths) },
    { name: 'rows', json: String(groups.rowCount) },
    { name: 'bytes', json: String(collected.sizeBytes) },
    { name: 'summary', json: JSON.stringify(only?.summary ?? null) },
    ...[...members].map(([name, json]) => ({ name, json })),
    { name: 'by', json: JSON.stringify(groups.by.map(({ field }) => field)) },
    { name: 'totals', json: objectOf(metricsAsJson(rankedGroups.metrics, groups.totals())) },
    { name: 'groups', json: `[${groupsAsJson(rankedGroups).join(',')}]` },
    { name: 'otherGroupCount', json: String(rankedGroups.others?.count ?? 0) },
  ]);
  return `${text}\n`;
}

/**
 * Formats the names of the files, their totals, groups or first rows, and the facts about the
 * report.
 */
export function viewText(tools: Context, view: View): string {
  const { options, byTime, collected, figures } = view;
  const look = tableLook(tools);
  const isPreview = options.by === undefined && options.chart === undefined;

  const lines = [headText(view, look)];
  lines.push(
    ...reportCard(byTime, look, {
      metrics: options.metrics && figures,
      labels: labelsByMetric(options.label),
    }),
    '',
  );
  if (isPreview) lines.push(...rowLines(view, look));
  else lines.push(...answerLines(view, look));
  const about = aboutLines(view, collected.tails, look);
  if (about.length > 0) lines.push('', ...about);
  return `${lines.join('\n').trimEnd()}\n`;
}

function headText({ paths, sources, collected, byTime }: View, look: TableLook): string {
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const [path = ''] = paths;
  const shown = paths.length === 1 ? printable(path === '-' ? 'stdin' : path) : sources.shown;
  const name = `${shown}:`;
  const facts: string[] = [];
  if (collected.tails.length > 1) facts.push(formatPlural(collected.tails.length, 'file'));
  facts.push(formatPlural(byTime.rowCount, 'row'), formatBytes(collected.sizeBytes));

  const days = daysOf({ sources, collected, byTime });
  if (days !== '') facts.push(printable(days));
  const zone = sources.query?.timezone ?? collected.tails[0]?.summary?.timezone;
  const zoneSuffix = zone === undefined ? '' : ` (${printable(formatZone(zone))})`;
  const text = `${style?.bold(name) ?? name} ${facts.join(', ')}${zoneSuffix}`;
  return wrap(text, width - 2).join('\n  ');
}

/** Returns the first and the last day; empty if neither the report nor its rows have one. */
function daysOf({ sources, byTime }: Pick<View, 'sources' | 'collected' | 'byTime'>): string {
  const { window } = sources;
  const span = window ? describeWindow(window) : findDaySpan(byTime);
  if (!span) return '';
  const firstDay = span.since.slice(0, 10);
  const lastDay = span.until.slice(0, 10);
  return firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
}

/** Returns the request, the id and the key of the report, and its warnings. */
function aboutLines({ sources }: View, tails: readonly ReportTail[], look: TableLook): string[] {
  const { width = Number.POSITIVE_INFINITY } = look;
  const [tail, another] = tails;
  const { query } = sources;
  const ofSpec = query ? [describeQuery(query)] : [];
  const ofFile = tail && !another ? formatMembers(tail.members) : [];
  const sentences = ofFile.length > 0 ? ofFile : ofSpec;
  return sentences.map((sentence) => `  ${wrap(printable(sentence), width - 2).join('\n  ')}`);
}

/** Returns the first rows, and the number of further ones. */
function rowLines(view: View, look: TableLook): readonly string[] {
  const { rows: kept } = view;
  if (!kept) return [];
  const rows = kept.arranged();
  const fields = fieldsOfRows(view);
  const selectedColumns = view.options.metrics ? fields : undefined;
  const labels = labelsByMetric(view.options.label);
  const plan = new ColumnPlan({ selectedColumns, labels });
  plan.settle(fields);
  const options = { table: { ...look, totals: false }, selectedColumns, keepsOrder: true };
  const lines = reportLines({ plan, sums: new ReportSums(), rows, options });
  const moreRows = kept.rowCount - rows.length;
  if (moreRows <= 0) return lines;

  const { width = Number.POSITIVE_INFINITY, unicode } = look;
  const mark = unicode === false ? '...' : '…';
  const count = formatPlural(moreRows, 'more row');
  const rest = `${mark} and ${count}. Group them with --by, or show more with --top.`;
  return [...lines, ...wrap(rest, width)];
}

function answerLines(view: View, look: TableLook): readonly string[] {
  const { chart, metrics } = view.options;
  const rankedGroups = ranked(view);
  if (chart === undefined) {
    return groupTable(rankedGroups, look, labelsByMetric(view.options.label));
  }

  const sortedBy = metrics === undefined ? rankedGroups.sortedBy : undefined;
  const figure = sortedBy ?? leadingFigure(view);
  if (!figure) throw new UsageError('--chart needs a metric, and the report has none.');
  return chart === 'bar'
    ? groupBars(rankedGroups, figure, look)
    : groupLines(rankedGroups, figure, look);
}
