import type { FolderSpec } from '../folder/history.ts';
import type { ReportSpec } from '../folder/spec.ts';
import { buildQuery } from '../query/build-query.ts';
import type { QueryFlags } from '../query/flags/run-flags.ts';
import type { Query } from '../query/query.ts';
import { contentOf } from '../query/saved-keys.ts';

// The form of a query in the history of a folder.

/** Keys of the content that a spec has in members of their own. */
const requestKeys = ['profile', 'metrics', 'by', 'filter', 'country', 'columns', 'timezone'];
const otherKeys = ['campaign', 'ad-unit', 'advertiser', 'split', 'window-clock', 'format'];

export function toSpec(query: Query): ReportSpec {
  const { profile, metrics, breakdowns, filters, columns, timezone, windowClock } = query;
  const { period, since, until, split, lookback, strict, account, login } = query;
  const [{ path, format }] = query.outputs;
  const shape = Object.entries(contentOf(query)).filter(([key]) => {
    return !requestKeys.includes(key) && !otherKeys.includes(key);
  });
  const hasFilters = Object.keys(filters).length > 0;
  const spec: Record<string, unknown> = {
    request: {
      profile,
      metrics,
      breakdowns,
      ...(hasFilters && { filters }),
      ...(columns && { columns }),
    },
    timezone,
    format: { name: format, ...Object.fromEntries(shape) },
    output: path,
    split,
    period,
    since,
    until,
    missing: query.missing,
    lookback: lookback || undefined,
    strict,
    account,
    login,
    service: query.service && oldService(query.service),
    windowClock: windowClock === 'instant' ? undefined : windowClock,
    encoding: query.encoding === 'json' ? undefined : query.encoding,
  };
  const members = Object.entries(spec).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as unknown as ReportSpec;
}

/** A service on loopback is the local one. */
export function oldService(service: string): string {
  return /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(service) ? 'local' : service;
}

/** @param nowMs milliseconds since 1970 */
export function queryOfSpec(spec: FolderSpec, nowMs: number): Query {
  const { request, format, timezone, windowClock, encoding, ...others } = spec;
  const { name, ...shape } = format;
  const { campaign, adUnit, advertiser, ...ids } = request.filters ?? {};
  const options = {
    ...others,
    ...shape,
    format: name,
    output: [spec.output],
    metrics: request.metrics,
    by: request.breakdowns,
    columns: request.columns,
    campaign,
    adUnit,
    advertiser,
    filter: Object.entries(ids).map(([filter, values]) => ({ name: filter, values })),
    timezone: request.profile === 'dsp' ? timezone : undefined,
  } as QueryFlags;
  const { account, login, service } = spec;
  const owner = { account, login, service };
  const known = Object.entries(owner).filter(([, value]) => value !== undefined);
  return buildQuery(options, {
    ...Object.fromEntries(known),
    profile: request.profile,
    ...(encoding && { encoding }),
    ...(windowClock && { windowClock }),
    stdoutFormat: 'csv',
    nowMs,
  });
}
