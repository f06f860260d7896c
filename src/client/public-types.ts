import type { CampaignRecord, Encoding, WindowClock } from '../contract/messages.ts';
import type { RowOf } from '../contract/row-types.ts';
import type { BreakdownName, FilterName, MetricName, Profile } from '../contract/vocabulary.ts';
import type { CheckMessage } from '../errors.ts';

/** Public types of the client. They import no packages, so that programs need none to compile. */

/**
 * Signs in with a token, or with an e-mail address and a password, which are exchanged for a token.
 */
type SignInOptions =
  | { readonly token: string | undefined; readonly email?: never; readonly password?: never }
  | { readonly token?: never; readonly email: string; readonly password: string };

/**
 * Settings of a client, with the same meanings and defaults as the flags. The client reads no other
 * settings.
 */
export interface ClientSettings<AnyProfile extends Profile = Profile> {
  /** Base URL of the service: https, or http on this machine. */
  readonly baseUrl: string | URL;

  /** Profile of the account. Default: `buyer`. */
  readonly profile?: AnyProfile | undefined;

  /** Time zone of DSP reports. Default: Europe/Paris. */
  readonly timezone?: string | undefined;

  /** Encoding of requests. Default: `json`. */
  readonly encoding?: Encoding | undefined;

  /** How the service interprets the start and end of a period. Default: `instant`. */
  readonly windowClock?: WindowClock | undefined;

  /**
   * Timeout for connecting, for the first byte, and between bytes, in milliseconds. Default:
   * 30,000.
   */
  readonly timeoutMs?: number | undefined;

  /** Retries per call after temporary failures. Default: 5. */
  readonly retries?: number | undefined;

  /** URL of an HTTP proxy for https. Default: none. */
  readonly proxy?: string | URL | undefined;

  /** Hosts, without ports, for which `baseUrl` may use plain http. Default: this machine only. */
  readonly allowHttp?: readonly string[] | undefined;

  /** Aborts all work of the client. */
  readonly signal?: AbortSignal | undefined;
}

export type CreateClientOptions<AnyProfile extends Profile = Profile> = ClientSettings<AnyProfile> &
  SignInOptions;

/** Makes a literal name that does not exist a compile-time error. */
type AcceptedNames<
  Names extends readonly string[],
  Known extends string,
> = Names extends readonly Known[]
  ? Names
  : string extends Names[number]
    ? Names
    : readonly Known[];

/** Period of a report, in the same forms as on the command line. */
export type WindowOptions =
  | { readonly period: string; readonly since?: never; readonly until?: never }
  | {
      readonly period?: never;
      readonly since: string | number;
      readonly until?: string | number | undefined;
    };

/** IDs, or countries by code or name. */
export type FilterOptions = {
  readonly [Name in FilterName | 'country']?: readonly (string | number)[] | undefined;
};

export type ReportOptions<
  By extends readonly string[] = readonly string[],
  Metrics extends readonly string[] = readonly string[],
> = WindowOptions & {
  /** Default: none, for a report of one row. */
  readonly by?: AcceptedNames<By, BreakdownName> | undefined;

  /** Default: all metrics of the profile. */
  readonly metrics?: AcceptedNames<Metrics, MetricName> | undefined;
  readonly filters?: FilterOptions | undefined;
};

export interface ReportProgress {
  readonly step: 'request' | 'wait' | 'download';

  /** Last status from the service. */
  readonly status: string;

  /** Milliseconds since the wait began. */
  readonly elapsedMs: number;
  readonly receivedBytes: number;

  /** Rows read so far. */
  readonly rows: number;
}

export interface FetchOptions {
  /** Aborts the work on this report. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ReportProgress) => void) | undefined;

  /** Milliseconds to wait until the report is ready. Default: 30 minutes. */
  readonly waitTimeoutMs?: number | undefined;

  /** Whether to throw after the last row if there are warnings. Default: false. */
  readonly strict?: boolean | undefined;
}

/** A report that is being downloaded. It can be read once. */
export interface FetchedReport<AnyRow> {
  /** ID of the report, or `undefined` if the service sent the data immediately. */
  readonly id: string | undefined;

  /** Evidence that the report does not match the request. Complete after the last row. */
  readonly warnings: readonly CheckMessage[];

  /** Observations that may be harmless; complete once the report has been read. */
  readonly notes: readonly CheckMessage[];

  /** Yields rows in the service's order. Breaking out of the loop closes the connection. */
  rows(): AsyncIterableIterator<AnyRow, void, undefined>;

  /** Returns the service's document, unchanged. */
  text(): Promise<string>;

  /** Returns the service's document, unchanged. */
  bytes(): Promise<Uint8Array>;
}

export interface ReportState {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly isReady: boolean;
}

/** A client of the reporting service that keeps its connections. */
export interface ReportClient<AnyProfile extends Profile = Profile> {
  /**
   * Requests a report, waits for it, and resolves once its data begins to arrive. A failed report
   * is requested once more.
   */
  fetchReport<
    const By extends readonly string[] = readonly [],
    const Metrics extends readonly string[] = readonly MetricName[],
  >(
    report: ReportOptions<By, Metrics>,
    options?: FetchOptions,
  ): Promise<FetchedReport<RowOf<AnyProfile, By[number], Metrics[number]>>>;

  createReport<const By extends readonly string[], const Metrics extends readonly string[]>(
    report: ReportOptions<By, Metrics>,
  ): Promise<{ readonly id: string }>;
  reportStatus(id: string): Promise<ReportState>;

  /**
   * Opens a report. Waits for it first if it is not ready. The report is checked against its
   * request if the options are passed again, otherwise only against itself.
   */
  openReport(
    id: string,
    report?: undefined,
    options?: FetchOptions,
  ): Promise<FetchedReport<RowOf<AnyProfile, string, string>>>;
  openReport<
    const By extends readonly string[] = readonly [],
    const Metrics extends readonly string[] = readonly MetricName[],
  >(
    id: string,
    report: ReportOptions<By, Metrics>,
    options?: FetchOptions,
  ): Promise<FetchedReport<RowOf<AnyProfile, By[number], Metrics[number]>>>;

  /** Lists the campaigns with their ad units. */
  campaigns(): Promise<readonly CampaignRecord[]>;
}
