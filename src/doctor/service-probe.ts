import type { Client } from '../api/client.ts';
import { openReport, type ReadReport } from '../client/open.ts';
import { waitUntilReady } from '../client/wait.ts';
import {
  defaultZone,
  type Encoding,
  type ReportSummary,
  type WindowClock,
} from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { AdreportError, isNotSignedIn, isUnreachable } from '../errors.ts';
import { bodyOf, encodeBody, type ReportBody } from '../query/body.ts';
import { buildQuery } from '../query/build-query.ts';
import { formatDate } from '../query/calendar.ts';
import type { QueryFlags } from '../query/flags/run-flags.ts';
import { wholePart } from '../query/parts.ts';
import type { QueryFilters } from '../query/query.ts';

export interface ProbeReport {
  readonly rows: ReadReport['rows'];

  /** `undefined` if it does not have the documented shape. */
  readonly summary: ReportSummary | undefined;
}

/** For a DSP's report that is not in the default zone. */
export const otherZone = 'Asia/Tokyo';

/** No report has this id. */
const unknownId = '00000000000000000000000000000000';

const dayMs = 86_400_000;
const waitTimeoutMs = 300_000;

export type ProbeReportName = 'days' | 'hours' | 'total' | 'campaigns' | 'campaign' | 'zone';

/** Requested when a claim needs it. */
export interface PlannedReport {
  readonly name: ProbeReportName;

  /** Shown to the user, who confirms the request. */
  readonly description: string;
  readonly body: ReportBody;
}

export interface ProbeSettings {
  readonly profile: Profile;
  readonly windowClock: WindowClock;
  readonly encoding: Encoding;

  /** Set if there is an e-mail address with its password. */
  readonly canSignIn: boolean;
}

/** Plans at most ten small reports, of closed days. */
export function planReports(
  { profile, windowClock }: ProbeSettings,
  nowMs: number,
): readonly PlannedReport[] {
  const dateBefore = (days: number): string =>
    formatDate((nowMs - days * dayMs) / 1_000, defaultZone);
  const isBuyer = profile === 'buyer';
  const metrics = isBuyer ? ['displays', 'clicks', 'revenueEuro'] : ['displays', 'revenueEuro'];
  const threeDays = { since: dateBefore(4), until: dateBefore(2) };
  const oneDay = { since: dateBefore(3), until: dateBefore(3), metrics: ['displays'] };
  const plan = (options: QueryFlags): ReportBody => {
    const facts = { profile, windowClock, stdoutFormat: 'json', nowMs } as const;
    return bodyOf(wholePart(buildQuery({ metrics, ...threeDays, ...options }, facts), nowMs));
  };

  const dates = `${threeDays.since} to ${threeDays.until}`;
  const reports: PlannedReport[] = [
    { name: 'days', description: `${dates} by DAILY`, body: plan({ by: ['DAILY'] }) },
    { name: 'total', description: `${dates} as one row`, body: plan({}) },
    {
      name: 'hours',
      description: `${oneDay.since} by HOURLY and FORMAT, in the other encoding`,
      body: plan({ ...oneDay, by: ['HOURLY', 'FORMAT'] }),
    },
  ];
  if (!isBuyer) {
    const body = plan({ ...oneDay, by: ['DAILY'], timezone: otherZone });
    return [...reports, { name: 'zone', description: `${oneDay.since} in ${otherZone}`, body }];
  }

  const byCampaign = plan({ by: ['CAMPAIGN'] });
  return [
    ...reports,
    { name: 'campaigns', description: `${dates} by CAMPAIGN`, body: byCampaign },
    { name: 'campaign', description: 'one of those campaigns', body: byCampaign },
  ];
}

/** Thrown by a claim that cannot be tried. */
export class NotTried extends Error {}

/** No claim can be tried after such an error. */
export function endsTrials(error: unknown): boolean {
  return isUnreachable(error) || isNotSignedIn(error);
}

/**
 * Returns what another claim is about. Throws `NotTried` if that is not available.
 *
 * @param subject beginning of a sentence: `the report by day`
 */
export async function requireFor<Value>(subject: string, value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (!(error instanceof AdreportError) || endsTrials(error)) throw error;
    throw new NotTried(`${subject} is not available: ${error.message}`);
  }
}

interface ProbeOptions {
  readonly client: Client;
  readonly settings: ProbeSettings;
  readonly reports: readonly PlannedReport[];
}

/** Requests each report once, when a claim needs it. */
export class ServiceProbe {
  readonly client: Client;
  readonly settings: ProbeSettings;
  readonly #options: ProbeOptions;
  readonly #ids = new Map<ProbeReportName, Promise<string>>();
  readonly #reports = new Map<ProbeReportName, Promise<ProbeReport>>();

  constructor(options: ProbeOptions) {
    this.client = options.client;
    this.settings = options.settings;
    this.#options = options;
  }

  requestFor(name: ProbeReportName): ReportBody {
    const report = this.#options.reports.find((planned) => planned.name === name);
    if (!report) throw new Error(`No report “${name}” is planned.`);
    return report.body;
  }

  /** Uses the encoding of the account; returns the report id. */
  create(name: ProbeReportName): Promise<string> {
    const known = this.#ids.get(name);
    if (known) return known;

    const body = encodeBody(this.requestFor(name), this.settings.encoding);
    const id = this.createFrom(body);
    this.#ids.set(name, id);
    return id;
  }

  /** Creates a report from the body of a call; returns its id. Throws `NotTried` without an id. */
  async createFrom(body: { readonly contentType: string; readonly text: string }): Promise<string> {
    const created = await this.client.createReport({ body });
    if (created.kind === 'report') return created.id;

    created.response.close();
    throw new NotTried('the service answers with the data instead of a report ID');
  }

  /** Rejects with the service's refusal. */
  statusOfUnknown(): Promise<unknown> {
    return this.client.status(unknownId);
  }

  report(name: ProbeReportName): Promise<ProbeReport> {
    const known = this.#reports.get(name);
    if (known) return known;

    const report = this.create(name).then((id) => this.fetch(id));
    this.#reports.set(name, report);
    return report;
  }

  /** Requests the report again, with a filter. */
  async filtered(name: ProbeReportName, filters: QueryFilters): Promise<ProbeReport> {
    const body = { ...this.requestFor(name), ...filters };
    const id = await this.createFrom(encodeBody(body, this.settings.encoding));
    return this.fetch(id);
  }

  /** Waits for a report and reads it. */
  async fetch(reportId: string): Promise<ProbeReport> {
    const requested = { id: reportId, status: 'progress', createdMs: 0 };
    const endMs = this.client.host.stopwatch() + waitTimeoutMs;
    const ready = await waitUntilReady(this.client, requested, { endMs });
    const report = await openReport(this.client, ready, { endMs, part: undefined });
    const { rows, tail } = await report.readAll();
    return { rows, summary: tail.summary };
  }
}
