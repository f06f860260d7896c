import type { ServerClock } from './clock.ts';
import type { Faults } from './faults/faults.ts';
import type { Fixtures } from './fixtures/fixtures.ts';
import type { ServerOptions } from './options.ts';
import type { RequestLog } from './request-log.ts';
import type { Reports } from './service/reports.ts';
import type { Sessions } from './service/sessions.ts';

/** State that all calls of a server share. */
export interface Services {
  readonly options: ServerOptions;
  readonly clock: ServerClock;
  readonly log: RequestLog;
  readonly sessions: Sessions;
  readonly reports: Reports;
  readonly faults: Faults;
  readonly fixtures: Fixtures;
}
