/** `adreport/local-server`: the service for a test suite. */

export type { ReportStatus } from './contract/messages.ts';
export type { Profile } from './contract/vocabulary.ts';
export type {
  ClockSetting,
  Control,
  LocalAccount,
  LocalServer,
  LocalServerOptions,
  LoggedRequest,
  ReportChange,
} from './server/local-server.ts';
export { startLocalServer } from './server/start.ts';
