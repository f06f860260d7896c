import type { Encoding, WindowClock } from '../contract/messages.ts';
import type {
  BreakdownName,
  ComputedMetricName,
  DerivedBreakdownName,
  FilterName,
  MetricName,
  Profile,
} from '../contract/vocabulary.ts';
import type { Window } from './calendar.ts';
import type { KeptFlags } from './flags/run-flags.ts';
import type { FormatName } from './format-names.ts';

/**
 * A report to request and how to store it, as a frozen plain value. Only `buildQuery` makes
 * queries: from flags, `adreport.yaml`, the declaration of a folder, or the library's options.
 *
 * Flags of `run` that need no further parsing keep their option names, and are only set if they
 * were given: `period` or `since` and `until` as entered, `split`, `compare`, `direct`, `strict`,
 * `lookback`, `columns`, `normalize`, `excel`, `title`, `note`, `label`.
 */
export interface Query extends KeptFlags {
  /** Name of the saved report, if the report is not from flags alone. */
  readonly report?: string;

  readonly profile: Profile;

  /** Metrics in column order, including computed ones; never empty. */
  readonly metrics: readonly (MetricName | ComputedMetricName)[];

  /**
   * Whether the user chose metrics. Otherwise, the metrics default to those of the profile, and an
   * existing folder keeps its own metrics.
   */
  readonly hasNamedMetrics: boolean;

  readonly breakdowns: readonly (BreakdownName | DerivedBreakdownName)[];

  readonly filters: QueryFilters;

  /** IANA name of the report's zone. */
  readonly timezone: string;

  readonly encoding: Encoding;
  readonly windowClock: WindowClock;

  readonly outputs: readonly [Output, ...Output[]];

  /** Name of the stored account. A bare token has none. */
  readonly account?: string;

  /** Masked e-mail address with its hash. A bare token has none. */
  readonly login?: string;

  /** Host of the service, with its port unless on loopback, or `local` after `--local`. */
  readonly service?: string;
}

/**
 * Values by filter: IDs as sent to the service, except in `namedFilters`, which keep names and
 * patterns as entered.
 */
export type QueryFilters = {
  readonly [Name in FilterName | NamedFilter['name']]?: readonly string[];
};

/** Filters by name or pattern, which are resolved to IDs with `/campaigns`. */
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
 * One report to request. The part has ended at `end`, the first second after the period, or after
 * the whole day, week or month of `--split`. Until then, `until` may be earlier.
 */
export interface Part extends Window {
  readonly query: Query;

  /**
   * First and last local day, `2026-11-01`. With `--split`, the days of the whole day, week or
   * month.
   */
  readonly firstDay: string;
  readonly lastDay: string;
}
