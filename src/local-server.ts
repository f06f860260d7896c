/** `adreport/local-server`: the local server for test suites. */

export type { EndpointName, ReportRequest } from './contract/messages.ts';
export type { Profile } from './contract/vocabulary.ts';
export type {
  Control,
  FaultObject,
  FaultRequest,
  FaultResponse,
  ListedReport,
  LocalAccount,
  LocalServer,
  LocalServerOptions,
  LoggedRequest,
  ServiceDocument,
} from './server/public-types.ts';
export { startLocalServer } from './server/start.ts';
