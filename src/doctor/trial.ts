import { once } from '../account/account.ts';
import type { Client } from '../api/client.ts';
import { OpenReport, type ReportInMemory } from '../client/open.ts';
import { waitForDownload, waitUntilReady } from '../client/wait.ts';
import { defaultZone, type Encoding, type WindowClock } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { AdreportError, type CheckResult, isNotSignedIn, isUnreachable } from '../errors.ts';
import { buildBody, type EncodedBody, encodeBody, type ReportBody } from '../query/body.ts';
import { buildQuery } from '../query/build-query.ts';
import { formatDate } from '../query/calendar.ts';
import type { QueryFlags } from '../query/flags/run-flags.ts';
import { toWholePart } from '../query/parts.ts';
import type { Part } from '../query/query.ts';

/** A report in memory, with its warnings and notes. */
export interface ReportWithWarnings extends ReportInMemory, CheckResult {}

/** A small report of past days, requested only when a claim needs it. */
interface TrialReport {
  /** Description for the confirmation prompt. */
  readonly description: string;
  readonly part: Part;
  readonly body: ReportBody;

  /** Requests the report in the account's encoding on first use, and returns its ID. */
  readonly create: () => Promise<string>;

  /** Waits for the report, reads it and checks it against its request on first use. */
  readonly read: () => Promise<ReportWithWarnings>;
}

export interface TrialSettings {
  readonly profile: Profile;
  readonly windowClock: WindowClock;
  readonly encoding: Encoding;

  /** Whether there is an e-mail address and a password to sign in with. */
  readonly canSignIn: boolean;
}

/** Zone of a DSP's second report, other than the default zone. */
const otherZone = 'Asia/Tokyo';

const unknownId = '00000000000000000000000000000000';

const dayMs = 86_400_000;
const waitTimeoutMs = 300_000;

/** Gives the claims access to the service, and requests at most ten reports. */
export class ServiceTrial {
  readonly client: Client;
  readonly settings: TrialSettings;
  readonly days: TrialReport;
  readonly total: TrialReport;
  readonly hours: TrialReport;

  /** By campaign for a buyer, in another zone for a DSP. */
  readonly profileReport: TrialReport;

  constructor(client: Client, settings: TrialSettings, nowMs: number) {
    this.client = client;
    this.settings = settings;
    const isBuyer = settings.profile === 'buyer';
    const dateBefore = (days: number): string =>
      formatDate((nowMs - days * dayMs) / 1_000, defaultZone);
    const metrics = isBuyer ? ['displays', 'clicks', 'revenueEuro'] : ['displays', 'revenueEuro'];
    const threeDays = { since: dateBefore(4), until: dateBefore(2), metrics };
    const oneDay = { since: dateBefore(3), until: dateBefore(3), metrics: ['displays'] };
    const plan = (description: string, flags: QueryFlags): TrialReport => {
      const query = buildQuery(flags, { ...settings, nowMs });
      return this.#createReport(description, toWholePart(query, nowMs));
    };

    const dates = `${threeDays.since} to ${threeDays.until}`;
    const day = oneDay.since;
    const otherEncoding = settings.encoding === 'json' ? 'a form' : 'JSON';
    this.days = plan(`${dates} by DAILY`, { ...threeDays, by: ['DAILY'] });
    this.total = plan(`${dates}, totals only`, threeDays);
    this.hours = plan(`${day} by HOURLY and FORMAT, sent as ${otherEncoding}`, {
      ...oneDay,
      by: ['HOURLY', 'FORMAT'],
    });
    this.profileReport = isBuyer
      ? plan(`${dates} by CAMPAIGN`, { ...threeDays, by: ['CAMPAIGN'] })
      : plan(`${day} in ${otherZone}`, { ...oneDay, by: ['DAILY'], timezone: otherZone });
  }

  /** Describes all reports that may be requested. */
  describeReports(): string[] {
    const { days, total, hours, profileReport } = this;
    const descriptions = [days, total, hours, profileReport].map(({ description }) => description);
    const isBuyer = this.settings.profile === 'buyer';
    return isBuyer ? [...descriptions, 'one campaign from the previous report'] : descriptions;
  }

  /**
   * Requests a report and returns its ID. Throws an error that skips the claim if the response has
   * no ID.
   */
  async create(body: EncodedBody): Promise<string> {
    const { id, response } = await this.client.createReport(body);
    if (id !== undefined) return id;

    response?.close();
    throw new SkippedError('the service sends the data instead of a report ID');
  }

  /** Requests the status of an ID that belongs to no report. Rejects if the service refuses it. */
  requestUnknownStatus(): Promise<unknown> {
    return this.client.status(unknownId);
  }

  /** Requests and reads the report of one campaign. */
  async readCampaign(campaignId: string): Promise<ReportWithWarnings> {
    const { query, ...period } = this.profileReport.part;
    const filtered = { ...period, query: { ...query, filters: { campaignId: [campaignId] } } };
    return this.#createReport('one campaign', filtered).read();
  }

  /** Waits for a report, reads it, and checks it against its request if `part` is given. */
  async read(reportId: string, part?: Part): Promise<ReportWithWarnings> {
    const requested = { id: reportId, status: 'progress', createdMs: 0 };
    const limits = { endMs: this.client.host.stopwatch() + waitTimeoutMs };
    const ready = await waitUntilReady(this.client, requested, limits);
    const response = await waitForDownload(this.client, ready, limits);
    const report = new OpenReport(this.client, { report: ready, response, part });
    return { ...(await report.readAll()), ...report.result };
  }

  #createReport(description: string, part: Part): TrialReport {
    const body = buildBody(part);
    const create = once(() => this.create(encodeBody(body, this.settings.encoding)));
    const read = once(async () => this.read(await create(), part));
    return { description, part, body, create, read };
  }
}

/** Thrown by a claim that has to be skipped. */
export class SkippedError extends Error {}

/** Whether no further claim can be checked after this error. */
export function endsTrial(error: unknown): boolean {
  return isUnreachable(error) || isNotSignedIn(error);
}

/**
 * Awaits a report that a claim depends on. If it is unavailable, throws an error that skips the
 * claim.
 */
export async function requirePrerequisite<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (!(error instanceof AdreportError) || endsTrial(error)) throw error;
    throw new SkippedError(`its report is not available: ${error.message}`);
  }
}
