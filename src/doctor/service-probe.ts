import type { Client } from '../api/client.ts';
import { openReport, type ReportInMemory } from '../client/open.ts';
import { waitUntilReady } from '../client/wait.ts';
import { defaultZone, type Encoding, type WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { AdreportError, type CheckResult, isNotSignedIn, isUnreachable } from '../errors.ts';
import { buildBody, type EncodedBody, encodeBody, type ReportBody } from '../query/body.ts';
import { buildQuery } from '../query/build-query.ts';
import { formatDate } from '../query/calendar.ts';
import type { QueryFlags } from '../query/flags/run-flags.ts';
import { wholePart } from '../query/parts.ts';
import type { Part } from '../query/query.ts';

/** A report, and what the checks of every report say about it. */
export interface ProbeReport extends ReportInMemory, CheckResult {}

/** Zone of a DSP's report that is not in the default zone. */
const otherZone = 'Asia/Tokyo';

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
  readonly part: Part;
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
  const plan = (options: QueryFlags): Part => {
    const facts = { profile, windowClock, stdoutFormat: 'json', nowMs } as const;
    return wholePart(buildQuery({ metrics, ...threeDays, ...options }, facts), nowMs);
  };

  const dates = `${threeDays.since} to ${threeDays.until}`;
  const reports: PlannedReport[] = [
    { name: 'days', description: `${dates} by DAILY`, part: plan({ by: ['DAILY'] }) },
    { name: 'total', description: `${dates} as one row`, part: plan({}) },
    {
      name: 'hours',
      description: `${oneDay.since} by HOURLY and FORMAT, in the other encoding`,
      part: plan({ ...oneDay, by: ['HOURLY', 'FORMAT'] }),
    },
  ];
  if (!isBuyer) {
    const part = plan({ ...oneDay, by: ['DAILY'], timezone: otherZone });
    return [...reports, { name: 'zone', description: `${oneDay.since} in ${otherZone}`, part }];
  }

  const byCampaign = plan({ by: ['CAMPAIGN'] });
  return [
    ...reports,
    { name: 'campaigns', description: `${dates} by CAMPAIGN`, part: byCampaign },
    { name: 'campaign', description: 'only one of those campaigns', part: byCampaign },
  ];
}

/** Thrown by a claim that cannot be tried. */
export class NotTried extends Error {}

/** Returns true for an error after which no claim can be tried. */
export function endsTrials(error: unknown): boolean {
  return isUnreachable(error) || isNotSignedIn(error);
}

/**
 * Returns a value that another claim is about. Throws `NotTried` if it is not available.
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
    return buildBody(this.#partOf(name));
  }

  #partOf(name: ProbeReportName): Part {
    const report = this.#options.reports.find((planned) => planned.name === name);
    if (!report) throw new Error(`No report “${name}” is planned.`);
    return report.part;
  }

  /** Creates a report in the encoding of the account; returns its id. */
  create(name: ProbeReportName): Promise<string> {
    const known = this.#ids.get(name);
    if (known) return known;

    const id = this.createFrom(encodeBody(this.requestFor(name), this.settings.encoding));
    this.#ids.set(name, id);
    return id;
  }

  /** Creates a report from the body of a call; returns its id. Throws `NotTried` without an id. */
  async createFrom(body: EncodedBody): Promise<string> {
    const created = await this.client.createReport({ body });
    if (created.kind === 'report') return created.id;

    created.response.close();
    throw new NotTried('the service sends the data instead of a report ID');
  }

  /** Asks for the status of an unknown report; rejects with the service's refusal. */
  statusOfUnknown(): Promise<unknown> {
    return this.client.status(unknownId);
  }

  report(name: ProbeReportName): Promise<ProbeReport> {
    const known = this.#reports.get(name);
    if (known) return known;

    const report = this.create(name).then((id) => this.download(id, this.#partOf(name)));
    this.#reports.set(name, report);
    return report;
  }

  /** Requests the report of one campaign. */
  async reportOfCampaign(campaignId: string): Promise<ProbeReport> {
    const { query, ...period } = this.#partOf('campaign');
    const part = { ...period, query: { ...query, filters: { campaignId: [campaignId] } } };
    const id = await this.createFrom(encodeBody(buildBody(part), this.settings.encoding));
    return this.download(id, part);
  }

  /** Waits for a report, reads it, and checks it against its request if that is given. */
  async download(reportId: string, part?: Part): Promise<ProbeReport> {
    const requested = { id: reportId, status: 'progress', createdMs: 0 };
    const endMs = this.client.host.stopwatch() + waitTimeoutMs;
    const ready = await waitUntilReady(this.client, requested, { endMs });
    const report = await openReport(this.client, ready, { endMs, part });
    return { ...(await report.readAll()), ...report.result };
  }
}
