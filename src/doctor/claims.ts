import { toDecimalString } from '../contract/values.ts';
import { AdreportError, isStillInProgress, isUnknownReport, type MessageKind } from '../errors.ts';
import { encodeBody } from '../query/body.ts';
import { Decimal } from '../text/decimal.ts';
import { isObject } from '../text/json-object.ts';
import { printable, quoted } from '../text/printable.ts';
import { ExactSum } from '../totals/exact-sum.ts';
import {
  endsTrial,
  type ReportWithWarnings,
  requirePrerequisite,
  type ServiceTrial,
  SkippedError,
} from './trial.ts';

/** A property of the service that a client depends on. */
export interface Claim {
  readonly id: string;

  /** Documented in the service's specification, or assumed in `decisions.md`. */
  readonly kind: 'documented' | 'assumed';

  /** The claim as a sentence about the service. */
  readonly sentence: string;

  /** Why DSP accounts skip the claim, if they do. */
  readonly dspSkipReason?: string;

  /**
   * Returns how the service contradicts the claim, or `undefined` if the claim holds. Throws an
   * error if the claim has to be skipped, or an `AdreportError` for a response that the client
   * rejects.
   */
  check(trial: ServiceTrial): Promise<string | undefined>;
}

/** All claims, in the order of the checks. */
export const claims: readonly Claim[] = [
  {
    id: 'sign-in',
    kind: 'documented',
    sentence: 'accepts the token in the Authorization header, without a scheme',
    async check(trial) {
      if (trial.settings.canSignIn) await trial.client.signIn();
      try {
        await trial.requestUnknownStatus();
      } catch (error) {
        // Any other refusal means that the token was accepted.
        if (!isRefusal(error)) throw error;
      }
      return undefined;
    },
  },
  {
    id: 'unknown-id',
    kind: 'assumed',
    sentence: 'refuses an unknown report ID with status 404',
    async check(trial) {
      try {
        await trial.requestUnknownStatus();
      } catch (error) {
        if (isUnknownReport(error)) return undefined;
        throw error;
      }
      return 'it returns a status';
    },
  },
  {
    id: 'campaigns',
    kind: 'documented',
    sentence: 'lists the campaigns as a JSON array, each with its IDs, names and ad units',
    dspSkipReason: 'a DSP account may have no list of campaigns',
    async check({ client }) {
      const { document } = await client.campaigns();
      if (!Array.isArray(document)) return 'the list is inside an object';

      const keys = ['campaignId', 'campaignName', 'adunits'];
      for (const campaign of document) {
        const missing = keys.find((key) => !isObject(campaign) || campaign[key] === undefined);
        if (missing !== undefined) return `a campaign has no ${missing}`;
      }
      return undefined;
    },
  },
  {
    id: 'early-download',
    kind: 'assumed',
    sentence: 'refuses the download of a report that is in progress with status 409',
    async check({ client, days }) {
      const id = await requirePrerequisite(days.create());
      if (!(await isInProgress(client, id))) throw new SkippedError('the report was ready at once');

      try {
        const response = await client.download(id);
        response.close();
      } catch (error) {
        if (isStillInProgress(error)) return undefined;
        throw error;
      }
      if (await isInProgress(client, id)) return 'it sends the data';
      throw new SkippedError('the report became ready before its download');
    },
  },
  {
    id: 'formats',
    kind: 'documented',
    sentence: 'sends a report as JSON, with rows in data and a summary',
    async check({ days }) {
      await requirePrerequisite(days.create());
      const { tail } = await days.read();
      return tail.summary ? undefined : 'the report has no summary of the documented shape';
    },
  },
  {
    id: 'encodings',
    kind: 'documented',
    sentence: 'accepts JSON and forms, even with gaps in list indexes',
    check: checkEncodings,
  },
  {
    id: 'window-clock',
    kind: 'assumed',
    sentence: 'reads since and until as the window-clock setting says, and includes both',
    async check({ days }) {
      const report = await requirePrerequisite(days.read());
      if (!report.tail.summary) throw new SkippedError('the report by day has no summary');
      return findDifference(report, 'window');
    },
  },
  {
    id: 'days',
    kind: 'documented',
    sentence: 'sends one row per day for DAILY, inside the period and in the zone of the request',
    async check(trial) {
      const days = await requireRows(trial);
      if (findDifference(days, 'window')) throw new SkippedError('the report has another period');
      const difference = findDifference(days, 'columns', 'rows', 'zone');
      if (difference !== undefined || trial.settings.profile === 'buyer') return difference;
      return findDifference(await requirePrerequisite(trial.profileReport.read()), 'zone', 'rows');
    },
  },
  {
    id: 'sums',
    kind: 'documented',
    sentence: 'returns daily rows that add up to the total',
    async check(trial) {
      const days = await requireRows(trial);
      const total = await requirePrerequisite(trial.total.read());

      const differences: string[] = [];
      for (const metric of trial.days.body.metrics.split(',')) {
        const [byDay, whole] = [sumMetric(days, metric), sumMetric(total, metric)];
        // Amounts may be rounded in each row, by up to half a cent.
        const isEqual = Math.abs(byDay - whole) <= 0.005 * days.rows.length;
        if (!isEqual) differences.push(`${metric}: ${byDay} by day, ${whole} in total`);
      }
      return differences.length === 0 ? undefined : differences.join('; ');
    },
  },
  {
    id: 'filters',
    kind: 'documented',
    sentence: 'returns only the rows of a campaign when filtered by it',
    dspSkipReason: 'DSP reports have no filters',
    async check(trial) {
      const { rows } = await requirePrerequisite(trial.profileReport.read());
      const [campaignId] = rows.flatMap((row) => row.campaignId ?? []);
      if (typeof campaignId !== 'string') {
        throw new SkippedError('the report by campaign names none');
      }

      const report = await trial.readCampaign(campaignId);
      if (report.rows.length === 0) return 'filtered by a campaign, the report has no rows';
      return findDifference(report, 'filters');
    },
  },
];

/** Whether other claims can still be checked after this error. */
function isRefusal(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !endsTrial(error);
}

async function isInProgress(client: ServiceTrial['client'], id: string): Promise<boolean> {
  const { status } = await requirePrerequisite(client.status(id));
  return status.toLowerCase() === 'progress';
}

async function checkEncodings(trial: ServiceTrial): Promise<string | undefined> {
  const { days, hours, settings } = trial;
  const otherEncoding = settings.encoding === 'json' ? 'form' : 'json';
  const body = encodeBody(hours.body, otherEncoding);
  const withGaps = body.text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
  const creations = [days.create(), trial.create({ ...body, text: withGaps })];

  const [own, other] = await Promise.allSettled(creations);
  if (own?.status === 'rejected') {
    if (other?.status !== 'fulfilled' || !isRefusal(own.reason)) throw own.reason;
    return `${own.reason.message} It accepts ${otherEncoding}: adreport config set encoding ${otherEncoding}`;
  }
  if (other?.status !== 'fulfilled') {
    if (!isRefusal(other?.reason)) throw other?.reason;
    return `a ${otherEncoding} body is refused: ${other.reason.message}`;
  }

  const { tail } = await requirePrerequisite(trial.read(other.value));
  const breakdowns = tail.summary?.breakdowns.join();
  if (breakdowns === undefined || breakdowns === hours.body.breakdowns?.join()) return undefined;
  return `the breakdowns of a ${otherEncoding} body are ${printable(breakdowns)}`;
}

/**
 * Joins the report's warnings of the given kinds and its notes about invalid values, or returns
 * `undefined` if there are none.
 */
function findDifference(
  { warnings, notes }: ReportWithWarnings,
  ...kinds: readonly MessageKind[]
): string | undefined {
  const unreadable = notes.filter(({ message }) => message.includes('could not be read'));
  const differences = [...warnings, ...unreadable].filter(({ kind }) => kinds.includes(kind));
  return differences.map(({ message }) => message).join(' ') || undefined;
}

/** Reads the report by day. Throws `SkippedError` if it has no rows. */
async function requireRows({ days }: ServiceTrial): Promise<ReportWithWarnings> {
  const report = await requirePrerequisite(days.read());
  if (report.rows.length === 0) throw new SkippedError('those days have no rows');
  return report;
}

/** Adds up a metric. Throws `SkippedError` for a value that is not a number. */
function sumMetric({ rows }: ReportWithWarnings, metric: string): number {
  const sum = new ExactSum();
  for (const row of rows) {
    const number = Decimal.parse(toDecimalString(row[metric]) ?? '');
    if (!number) throw new SkippedError(`${metric} is ${quoted(String(row[metric]))} in a row`);
    sum.add(number);
  }
  return Number(sum.get() ?? 0);
}
