export type { ReportStatus } from './contract/messages.ts';
export type { Profile } from './contract/vocabulary.ts';
export type { Control, LocalAccount, LocalServer, LocalServerOptions } from './server/local-server.ts';
export type { LoggedRequest } from './server/request-log.ts';
export { startLocalServer } from './server/start.ts';
