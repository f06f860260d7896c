/** `adreport/local-server`: the local server for test suites. */

export type { EndpointName, ReportRequest, ReportStatus } from './contract/messages.ts';
export type { Profile } from './contract/vocabulary.ts';
export type {
  AnswerDocument,
  ClockSetting,
  Control,
  FaultAnswer,
  FaultObject,
  FaultRequest,
  ListedReport,
  LocalAccount,
  LocalServer,
  LocalServerOptions,
  LoggedRequest,
  ReportChange,
} from './server/public-types.ts';
export { startLocalServer } from './server/start.ts';
