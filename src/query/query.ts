import type { Encoding, WindowClock } from '../contract/messages.ts';
import type {
  BreakdownName,
  DerivedBreakdownName,
  DerivedName,
  FilterName,
  MetricName,
  Profile,
} from '../contract/vocabulary.ts';
import type { Window } from './calendar.ts';
import type { KeptFlags } from './flags/run-flags.ts';
import type { FormatName } from './format-names.ts';

/**
 * Everything that decides what to request and how to keep it, as a frozen plain value. Only
 * `buildQuery` makes a query. Flags, `adreport.yaml`, the declaration of a folder and the library
 * all use it.
 *
 * Flags of `run` that belong to the query and need no parsing are members under their option names.
 * They are absent if they were not given: `period` or `since` and `until` as typed, `split`,
 * `compare`, `direct`, `strict`, `lookback`, `columns`, `normalize`, `excel`, `title`, `note`,
 * `label`.
 */
export interface Query extends KeptFlags {
  /** Name of the saved report; absent for a report from flags alone. */
  readonly report?: string;

  readonly profile: Profile;

  /** Metrics in column order, including computed ones; never empty. */
  readonly metrics: readonly (MetricName | DerivedName)[];

  /**
   * False if the metrics are all metrics of the profile. A folder then keeps the metrics it has.
   */
  readonly hasTypedMetrics: boolean;

  readonly breakdowns: readonly (BreakdownName | DerivedBreakdownName)[];

  readonly filters: QueryFilters;

  /** IANA name of the report's zone. */
  readonly timezone: string;

  readonly encoding: Encoding;
  readonly windowClock: WindowClock;

  /** Outputs; there is at least one. `-` is stdout. */
  readonly outputs: readonly [Output, ...Output[]];

  /** Name of the stored account; absent for a bare token without a name. */
  readonly account?: string;

  /** Masked e-mail address with its hash; absent for a bare token. */
  readonly login?: string;

  /** Host of the service, with its port unless on loopback, or `local` after `--local`. */
  readonly service?: string;
}

/**
 * Values by filter. They are ids as sent to the service, except in `namedFilters`, where names and
 * patterns are kept as typed.
 */
export type QueryFilters = {
  readonly [Name in FilterName | NamedFilter['name']]?: readonly string[];
};

/**
 * Filters by name or pattern, which are resolved to ids with `/campaigns`. Each has its option,
 * flag and filter.
 */
export const namedFilters = [
  { name: 'campaign', flag: '--campaign', filter: 'campaignId' },
  { name: 'adUnit', flag: '--ad-unit', filter: 'adunitId' },
  { name: 'advertiser', flag: '--advertiser', filter: 'advertiserId' },
] as const satisfies readonly {
  readonly name: string;
  readonly flag: string;
  readonly filter: FilterName;
}[];

export type NamedFilter = (typeof namedFilters)[number];

/** A value of `-o` with its placeholders, and the format of the file. `-` is stdout. */
export interface Output {
  readonly path: string;
  readonly format: FormatName;
}

/**
 * One report to request, with the first and last second, inclusive, in unix seconds. The part is
 * over at `end`, the first second after the typed period, or after the whole day, week or month of
 * `--split`. While the part is running, `until` is earlier.
 */
export interface Part extends Window {
  readonly query: Query;

  /**
   * First and last local day, `2026-11-01`. With `--split`, these are the days of the whole day,
   * week or month.
   */
  readonly firstDay: string;
  readonly lastDay: string;
}
