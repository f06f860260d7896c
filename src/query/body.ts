import { createHash } from 'node:crypto';
import { type Encoding, endpointUrl } from '../contract/messages.ts';
import {
  type BreakdownName,
  type ComputedMetricName,
  type DerivedBreakdownName,
  derivedBreakdowns,
  findComputedMetric,
  type MetricName,
} from '../contract/vocabulary.ts';
import { visibleJson } from '../text/printable.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';
import { type Window, wallAt } from './calendar.ts';
import { flagError } from './flag-error.ts';
import { namedFilters, type Part } from './query.ts';

/** Parameters of a create call, in the order of the specification. */
export interface ReportBody {
  /**
   * First and last second, in unix seconds. For a service that reads wall time, these are wall
   * times as if in UTC.
   */
  readonly since: number;
  readonly until: number;

  /** Metrics, separated by commas. */
  readonly metrics: string;
  readonly breakdowns?: readonly string[];
  readonly timezone?: string;
  readonly output?: 'direct';

  /** Values by filter. */
  readonly [filter: string]: string | number | readonly string[] | undefined;
}

/**
 * Builds the parameters for requesting a part. Names in its filters must already be replaced with
 * IDs. Throws `UsageError` if the wall times end before they begin.
 */
export function buildBody(part: Part): ReportBody {
  const { profile, metrics, breakdowns, filters, timezone, direct } = part.query;
  if (namedFilters.some(({ name }) => name in filters)) {
    throw new Error('The names of a filter were not looked up.');
  }
  return {
    ...toSentTimes(part),
    metrics: metricsToSend(metrics).join(','),
    ...(breakdowns.length > 0 && { breakdowns: breakdownsToSend(breakdowns) }),
    ...filters,
    // DSP requests always name the zone, so that the service uses the zone of the period.
    ...(profile === 'dsp' && { timezone }),
    ...(direct && { output: 'direct' as const }),
  };
}

/** Returns the same hash for the same request in every run and on every machine. */
export function hashBody(part: Part): string {
  const text = JSON.stringify(buildBody(part));
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Replaces computed metrics with the metrics that they need. */
export function metricsToSend(metrics: readonly (MetricName | ComputedMetricName)[]): MetricName[] {
  const sent = new Set<MetricName>();
  for (const name of metrics) {
    const computed = findComputedMetric(name);
    if (!computed) sent.add(name as MetricName);
    else for (const needed of [computed.numerator, computed.denominator]) sent.add(needed);
  }
  return [...sent];
}

export function breakdownsToSend(
  breakdowns: readonly (BreakdownName | DerivedBreakdownName)[],
): BreakdownName[] {
  return breakdowns.map((name) => {
    const computed = derivedBreakdowns.find((breakdown) => breakdown.name === name);
    return computed ? computed.sentAs : (name as BreakdownName);
  });
}

function toSentTimes({ query, since, until, zone }: Part): Pick<Window, 'since' | 'until'> {
  if (query.windowClock === 'instant') return { since, until };

  const wallSince = wallAt(since, zone).toSeconds();
  const wallUntil = wallAt(until, zone).toSeconds();
  if (wallSince <= wallUntil) return { since: wallSince, until: wallUntil };
  throw flagError(
    '--window-clock',
    'In local time, this period ends before it begins, because the clocks go back during it.',
    'Request the whole day, or use --window-clock instant.',
  );
}

/** Body of a create call. */
export interface EncodedBody {
  readonly contentType: string;
  readonly text: string;

  /** Whether the data itself is requested. */
  readonly isDirect: boolean;
}

/**
 * Encodes the body of a create call. Forms are written as in the specification. Brackets and the
 * commas of metrics are not escaped:
 * `metrics=displays,clicks&breakdowns[0]=DAILY&campaignId[0]=12`.
 */
export function encodeBody(body: ReportBody, encoding: Encoding): EncodedBody {
  const isDirect = body.output === 'direct';
  if (encoding === 'json') {
    // `--dry-run` prints the body, so invisible characters are escaped.
    return { contentType: 'application/json', text: visibleJson(body), isDirect };
  }

  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!Array.isArray(value)) {
      fields.push(`${name}=${encodeURIComponent(String(value)).replaceAll('%2C', ',')}`);
      continue;
    }
    for (const [index, item] of value.entries()) {
      fields.push(`${name}[${index}]=${encodeURIComponent(item)}`);
    }
  }
  return { contentType: 'application/x-www-form-urlencoded', text: fields.join('&'), isDirect };
}

/**
 * Formats the create call as a curl command for POSIX shells or cmd. The command reads the token
 * from `ADREPORT_TOKEN`.
 */
export function curlLine(
  baseUrl: string,
  { contentType, text }: EncodedBody,
  platform: NodeJS.Platform,
): string {
  const quote = (word: string) => quoteForShell(word, platform);
  const token = platform === 'win32' ? '%ADREPORT_TOKEN%' : '$ADREPORT_TOKEN';
  const accept = quote('Accept: application/json');
  const headers = `-H "Authorization: ${token}" -H ${accept} -H ${quote(`Content-Type: ${contentType}`)}`;
  return `curl ${quote(endpointUrl(baseUrl, 'buyer'))} ${headers} --data-raw ${quote(text)}`;
}
