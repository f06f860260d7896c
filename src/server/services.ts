import type { ServerClock } from './clock.ts';
import type { Faults } from './faults/faults.ts';
import type { Fixtures } from './fixtures/fixtures.ts';
import type { OpenCalls } from './open-calls.ts';
import type { LocalServerOptions } from './public-types.ts';
import type { RequestLog } from './request-log.ts';
import type { Reports } from './service/reports.ts';
import type { Sessions } from './service/sessions.ts';

export interface Services {
  readonly options: LocalServerOptions;
  readonly clock: ServerClock;
  readonly calls: OpenCalls;
  readonly log: RequestLog;
  readonly sessions: Sessions;
  readonly reports: Reports;
  readonly faults: Faults;
  readonly fixtures: Fixtures;
}
