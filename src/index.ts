/** `adreport`: a client of the reporting service, for programs. */

export { createClient } from './client/create-client.ts';
export type {
  ClientSettings,
  CreateClientOptions,
  FetchedReport,
  FetchOptions,
  FilterOptions,
  ReportClient,
  ReportOptions,
  ReportProgress,
  ReportState,
  WindowOptions,
} from './client/public-types.ts';
export type { AdUnit, CampaignRecord } from './contract/messages.ts';
export type { AnyRow, RowOf as Row } from './contract/row-types.ts';
export type { BreakdownName, FilterName, MetricName, Profile } from './contract/vocabulary.ts';
export { AdreportError, type CheckMessage } from './errors.ts';
