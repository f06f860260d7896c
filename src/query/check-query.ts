import { findComputedMetric } from '../contract/vocabulary.ts';
import { joinWords } from '../text/quantity.ts';
import { hasTimePlaceholder, listPlaceholders } from './file-name.ts';
import { flagError } from './flag-error.ts';
import { longName } from './flags/flag.ts';
import { runFlagsByName } from './flags/run-flags.ts';
import { type FormatName, formatInfo } from './format-names.ts';
import { findPartUnit, hasFilePerPart, requireMergeable } from './parts.ts';
import type { Output, Query } from './query.ts';

/** Throws `UsageError` if options of a query conflict, or if a required option is missing. */
export function requireConsistent(query: Query): void {
  requireFittingFormats(query);
  requireSplit(query);
  requireFittingOutputs(query);
  requireOneComparison(query);
}

/**
 * Throws `UsageError` for flags that apply to none of the formats.
 *
 * @param values flag values by option name
 */
export function requireFittingFlags(
  values: Readonly<Record<string, unknown>>,
  formats: readonly FormatName[],
): void {
  for (const [option, flag] of runFlagsByName) {
    const { formats: known } = flag;
    if (values[option] === undefined || !known) continue;
    if (formats.some((format) => known.includes(format))) continue;

    const name = longName(flag);
    throw flagError(
      name,
      `${name} cannot be used with ${joinWords(formats)}.`,
      `Write ${joinWords(known, 'or')}, or remove ${name}.`,
    );
  }
}

function requireFittingFormats(query: Query): void {
  const formats = query.outputs.map(({ format }) => format);
  requireFittingFlags({ ...query }, formats);
  requireSentMetrics(query.metrics, formats);
}

/** Throws `UsageError` for a computed metric in a format that writes the service's document. */
export function requireSentMetrics(
  metrics: readonly string[],
  formats: readonly FormatName[],
): void {
  const document = formats.find((format) => formatInfo[format].isServiceDocument);
  const computed = metrics.find((name) => findComputedMetric(name));
  if (document === undefined || computed === undefined) return;
  throw flagError(
    '--metrics',
    `${computed} is computed by adreport; ${document} contains only the service's own data.`,
    `Remove ${computed} from --metrics, or write csv, parquet, xlsx, html, pdf or table.`,
  );
}

function requireSplit(query: Query): void {
  const { split, lookback, breakdowns } = query;
  if (breakdowns.includes('WEEKLY') && split !== undefined && split !== 'week') {
    throw flagError(
      '--split',
      `--by WEEKLY requests one report per week, not per ${split}.`,
      `Remove --split ${split}${split === 'day' ? ', or use --by DAILY' : ''}.`,
    );
  }

  const unit = findPartUnit(query);
  if (unit !== undefined && !hasFilePerPart(query)) requireMergeable(query, unit);
  if (lookback !== undefined && (split === undefined || !hasFilePerPart(query))) {
    throw flagError(
      '--lookback',
      '--lookback works only with a folder.',
      "Add --split day and -o '{date}.csv', or remove --lookback.",
    );
  }
}

function requireFittingOutputs(query: Query): void {
  const unit = findPartUnit(query);
  if (unit === undefined) return;

  const [{ path }, ...others] = query.outputs;
  const hasSeveralFiles = hasFilePerPart(query);
  if (hasSeveralFiles && others.length > 0) {
    throw flagError(
      '--output',
      'A folder takes only one -o.',
      'Remove the others; for other formats, use adreport view.',
    );
  }
  if (!hasSeveralFiles && others.some((output) => hasTimePlaceholder(output.path))) {
    throw flagError(
      '--output',
      `-o ${path} is one file for all ${unit}s.`,
      'Remove {date} from the other -o.',
    );
  }
  const withId = query.outputs.find((output) => listPlaceholders(output.path).includes('id'));
  if (withId) {
    throw flagError(
      '--output',
      `-o ${withId.path} has {id}, but there is a report for each ${unit}.`,
      'Use {date}, {since} or {until} instead.',
    );
  }
}

/** Throws `UsageError` if an output cannot show a change. */
export function requireComparable(outputs: readonly Output[]): void {
  const document = outputs.find(({ format }) => formatInfo[format].isServiceDocument);
  if (!document) return;
  throw flagError(
    '--compare',
    `--compare cannot be used with ${document.format}, the service's own document.`,
    'Write html, xlsx, csv, parquet or a table, for example: -o report.html',
  );
}

function requireOneComparison(query: Query): void {
  if (!query.compare) return;
  requireComparable(query.outputs);
  if (!hasFilePerPart(query)) return;
  throw flagError(
    '--compare',
    `--compare cannot be used with one file per ${findPartUnit(query)}.`,
    'Remove --compare. Later, adreport view reads the files and can compare them.',
  );
}
