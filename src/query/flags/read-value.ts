import { InvalidArgumentError } from 'commander';
import { computedMetrics, metrics } from '../../contract/vocabulary.ts';
import { suggestName } from '../../text/nearest.ts';
import { parseDuration } from '../../text/quantity.ts';
import { closestHint, parseName } from '../names.ts';

// Parsers for flag values. They throw Commander's `InvalidArgumentError`, which becomes exit 2.

/** Matches a value against a list, ignoring case. */
export function parseChoice(input: string, choices: readonly string[]): string {
  const choice = choices.find((candidate) => candidate === input.trim().toLowerCase());
  if (choice !== undefined) return choice;
  throw new InvalidArgumentError(suggestName(input, choices));
}

/** Parses a comma-separated list of columns, or `all`. */
export function parseColumns(value: string): readonly string[] | 'all' {
  return value.trim().toLowerCase() === 'all' ? 'all' : parseList(value);
}

/** A filter on the command line: `country=FR,Germany`. */
export interface FilterInput {
  readonly name: string;
  readonly values: readonly string[];
}

/** Parses `name=v1,v2`. */
export function parseFilter(value: string): FilterInput {
  const { name, text } = splitPair(value, 'country=FR,Germany');
  return { name, values: parseList(text) };
}

/** Splits `name=text`. */
function splitPair(
  value: string,
  example: string,
): { readonly name: string; readonly text: string } {
  const [name = '', ...more] = value.split('=');
  const text = more.join('=').trim();
  if (name.trim() !== '' && text !== '') return { name: name.trim(), text };
  throw new InvalidArgumentError(`Use NAME=VALUE, for example ${example}.`);
}

const metricNames = [...metrics, ...computedMetrics].map(({ name }) => name);

/** Resolves the metric of a label: `spend=Media spend` becomes `revenueEuro=Media spend`. */
export function parseLabel(value: string): string {
  const { name, text } = splitPair(value, 'revenueEuro=Spend');
  const metric = parseName(name, metricNames, '--label');
  if (metric !== undefined) return `${metric}=${text}`;
  throw new InvalidArgumentError(closestHint(name, metricNames));
}

export function labelsByMetric(labels: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    labels.map((text) => {
      const end = text.indexOf('=');
      return [text.slice(0, end), text.slice(end + 1)];
    }),
  );
}

/** Parses a comma-separated list of at least one value. */
export function parseList(list: string): readonly string[] {
  const values = splitList(list);
  if (values.length > 0) return values;
  throw new InvalidArgumentError('Pass at least one value. Separate several with commas.');
}

/**
 * Splits a comma-separated list. A value in double quotes may contain commas and doubled quotes.
 */
export function splitList(list: string): string[] {
  const item = /\s*(?:"((?:[^"]|"")*)"\s*|([^",\s][^,]*)?)(?:,|$)/y;
  const values: string[] = [];
  do {
    const match = item.exec(list);
    if (!match) {
      throw new InvalidArgumentError('A double quote is missing. Inside quotes, write it twice.');
    }
    const [, inQuotes, bare = ''] = match;
    const value = inQuotes?.replaceAll('""', '"') ?? bare.trim();
    if (value !== '') values.push(value);
  } while (item.lastIndex < list.length);
  return values;
}

/** Joins values so that `splitList` restores them. */
export function joinList(values: readonly string[]): string {
  const needsQuotes = (value: string) => /[",]|^\s|\s$/.test(value);
  const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;
  return values.map((value) => (needsQuotes(value) ? quote(value) : value)).join(',');
}

/** Parses `500ms`, `30s`, `5m`, `2h` or `0` into milliseconds, at most 24 h. */
export function readDuration(value: string): number {
  return parseDurationWithin(0, value);
}

/** Parses a duration into milliseconds. Rejects 0, which would disable the timeout. */
export function parseTimeout(value: string): number {
  return parseDurationWithin(1, value);
}

/** Parses `auto`, or a duration from 100 ms to 24 h into milliseconds. */
export function parsePollInterval(value: string): number | 'auto' {
  return value === 'auto' ? value : parseDurationWithin(100, value);
}

const maxMs = 24 * 3_600_000;

function parseDurationWithin(minMs: number, text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === undefined) {
    throw new InvalidArgumentError('Use a number with a unit: 500ms, 30s, 5m or 2h.');
  }
  if (durationMs > maxMs) throw new InvalidArgumentError('The maximum is 24h.');
  if (durationMs < minMs) throw new InvalidArgumentError(`The minimum is ${minMs}ms.`);
  return durationMs;
}

/** Parses a whole number from 0 to 999,999. */
export function parseCount(value: string): number {
  return parseWholeNumber(value, { min: 0 });
}

/** Parses a whole number from 1 to 999,999. */
export function parsePositive(value: string): number {
  return parseWholeNumber(value, { min: 1 });
}

/** Parses a whole number within inclusive bounds. */
export function parseWholeNumber(
  text: string,
  { min = 0, max = 999_999 }: { readonly min?: number; readonly max?: number },
): number {
  if (!/^\d+$/.test(text) || Number(text) < min) {
    throw new InvalidArgumentError(`Use a whole number, ${min} or more.`);
  }
  if (Number(text) > max) throw new InvalidArgumentError(`The maximum is ${max}.`);
  return Number(text);
}

/** Parts that one machine downloads: those whose number modulo `count` is `index` − 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Parses `1/4`. The index may also start at 0, as in Kubernetes. */
export function parseShard(value: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(value.trim());
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match && count > 0 && index <= count) return { index, count };
  throw new InvalidArgumentError('Use K/N: 1/4, 2/4, 3/4 and 4/4 on four machines.');
}
