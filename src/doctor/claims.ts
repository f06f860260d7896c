import { toDecimalString } from '../contract/values.ts';
import { AdreportError, isStillInProgress, isUnknownReport, type MessageKind } from '../errors.ts';
import { encodeBody } from '../query/body.ts';
import { Decimal } from '../text/decimal.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import { ExactSum } from '../totals/exact-sum.ts';
import {
  endsTrials,
  NotTried,
  type ProbeReport,
  requireFor,
  type ServiceProbe,
} from './service-probe.ts';

/** A property of the service that a client depends on. */
export interface Claim {
  readonly id: string;

  /** `documented` in the service's specification, or `assumed` in `decisions.md`. */
  readonly kind: 'documented' | 'assumed';

  /** A sentence whose subject is the service. */
  readonly sentence: string;

  /** Why the claim is not tried for a DSP account; absent to try it. */
  readonly dspLacks?: string;

  /**
   * Returns what differs, or nothing. Throws `NotTried`, and an `AdreportError` for a response that
   * the client does not accept.
   */
  check(service: ServiceProbe): Promise<string | undefined>;
}

/** All claims, in the order in which they are tried. */
export const claims: readonly Claim[] = [
  {
    id: 'sign-in',
    kind: 'documented',
    sentence: 'accepts the token in the Authorization header, without a scheme',
    check: checkSignIn,
  },
  {
    id: 'unknown-id',
    kind: 'assumed',
    sentence: 'refuses an unknown report ID with status 404',
    check: checkUnknownId,
  },
  {
    id: 'campaigns',
    kind: 'documented',
    sentence: 'lists the campaigns as a JSON array, each with its IDs, names and ad units',
    dspLacks: 'a DSP account may have no list of campaigns',
    check: checkCampaigns,
  },
  {
    id: 'early-download',
    kind: 'assumed',
    sentence: 'refuses the download of a report that is in progress with status 409',
    check: checkEarlyDownload,
  },
  {
    id: 'formats',
    kind: 'documented',
    sentence: 'sends a report as JSON, with rows in data and a summary',
    check: checkFormat,
  },
  {
    id: 'encodings',
    kind: 'documented',
    sentence: 'accepts JSON, and form fields whose indexes skip numbers',
    check: checkEncodings,
  },
  {
    id: 'window-clock',
    kind: 'assumed',
    sentence: 'reads since and until as the window-clock setting says, and includes both',
    check: checkWindowClock,
  },
  {
    id: 'days',
    kind: 'documented',
    sentence: 'sends one row per day for DAILY, inside the period and in the zone of the request',
    check: checkDays,
  },
  {
    id: 'sums',
    kind: 'documented',
    sentence: 'returns daily rows that add up to the total',
    check: checkSums,
  },
  {
    id: 'filters',
    kind: 'documented',
    sentence: 'returns only the rows of a campaign when filtered by it',
    dspLacks: 'DSP reports have no filters',
    check: checkFilter,
  },
];

async function checkSignIn(service: ServiceProbe): Promise<undefined> {
  if (service.settings.canSignIn) await service.client.signIn();
  try {
    await service.statusOfUnknown();
  } catch (error) {
    // Any other refusal means that the token was accepted.
    if (!(error instanceof AdreportError) || endsTrials(error)) throw error;
  }
}

async function checkUnknownId(service: ServiceProbe): Promise<string | undefined> {
  try {
    await service.statusOfUnknown();
  } catch (error) {
    if (isUnknownReport(error)) return undefined;
    throw error;
  }
  return 'it has a status';
}

async function checkCampaigns({ client }: ServiceProbe): Promise<string | undefined> {
  const { document } = await client.campaigns();
  if (!Array.isArray(document)) return 'the list is inside an object';

  const keys = ['campaignId', 'campaignName', 'adunits'];
  for (const campaign of document) {
    const missing = keys.find((key) => !isObject(campaign) || campaign[key] === undefined);
    if (missing !== undefined) return `a campaign has no ${missing}`;
  }
  return undefined;
}

function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

async function checkEarlyDownload(service: ServiceProbe): Promise<string | undefined> {
  const id = await requireFor('a report', service.create('days'));
  const { status } = await requireFor('its status', service.client.status(id));
  if (status.toLowerCase() !== 'progress') throw new NotTried('the report was ready at once');

  try {
    const response = await service.client.download(id);
    response.close();
  } catch (error) {
    if (isStillInProgress(error)) return undefined;
    throw error;
  }

  const later = await service.client.status(id);
  if (later.status.toLowerCase() === 'progress') return 'it sends data';
  throw new NotTried('the report became ready before its download');
}

async function checkFormat(service: ServiceProbe): Promise<string | undefined> {
  await requireFor('a report', service.create('days'));
  const { tail } = await service.report('days');
  return tail.summary ? undefined : 'the report has no summary of the documented shape';
}

async function checkEncodings(service: ServiceProbe): Promise<string | undefined> {
  const { encoding } = service.settings;
  const otherEncoding = encoding === 'json' ? 'form' : 'json';
  const { contentType, text } = encodeBody(service.requestFor('hours'), otherEncoding);
  const withGaps = text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
  const creations = [service.create('days'), service.createFrom({ contentType, text: withGaps })];

  const [own, others] = await Promise.allSettled(creations);
  if (own?.status === 'rejected') {
    if (others?.status !== 'fulfilled' || !isRefusal(own.reason)) throw own.reason;
    return `${own.reason.message} It accepts ${otherEncoding}: adreport config set encoding ${otherEncoding}`;
  }
  if (others?.status !== 'fulfilled') {
    if (!isRefusal(others?.reason)) throw others?.reason;
    return `a ${otherEncoding} body is refused: ${others.reason.message}`;
  }

  const report = service.download(others.value);
  const { tail } = await requireFor(`the report of a ${otherEncoding} body`, report);
  const { summary } = tail;
  const requested = service.requestFor('hours').breakdowns?.join();
  if (summary === undefined || summary.breakdowns.join() === requested) return undefined;
  return `the breakdowns of a ${otherEncoding} body are ${quoteValue(summary.breakdowns)}`;
}

/** Returns true for a refusal after which other claims can be tried. */
function isRefusal(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !endsTrials(error);
}

async function checkWindowClock(service: ServiceProbe): Promise<string | undefined> {
  const report = await requireFor('the report by day', service.report('days'));
  if (!report.tail.summary) throw new NotTried('the report by day has no summary');
  return findDifference(report, 'window');
}

/** Returns what the checks of a report say about some lines of the table in `cli.md`. */
function findDifference(
  { warnings, notes }: ProbeReport,
  ...kinds: readonly MessageKind[]
): string | undefined {
  const unread = notes.filter(({ message }) => message.includes('could not be read'));
  const differences = [...warnings, ...unread].filter(({ kind }) => kinds.includes(kind));
  return differences.map(({ message }) => message).join(' ') || undefined;
}

/** Returns the report by day. Throws `NotTried` if it has no rows. */
async function requireRows(service: ServiceProbe): Promise<ProbeReport> {
  const report = await requireFor('the report by day', service.report('days'));
  if (report.rows.length === 0) throw new NotTried('those days have no rows');
  return report;
}

async function checkDays(service: ServiceProbe): Promise<string | undefined> {
  const days = await requireRows(service);
  if (findDifference(days, 'window')) throw new NotTried('the report has another period');
  const difference = findDifference(days, 'columns', 'rows', 'zone');
  if (difference !== undefined || service.settings.profile === 'buyer') return difference;
  return findDifference(await requireFor('a report', service.report('zone')), 'zone', 'rows');
}

async function checkSums(service: ServiceProbe): Promise<string | undefined> {
  const days = await requireRows(service);
  const total = await requireFor('the report of the whole period', service.report('total'));

  const differences: string[] = [];
  for (const metric of service.requestFor('days').metrics.split(',')) {
    const [byDay, whole] = [sumIn(days, metric), sumIn(total, metric)];
    // Half a cent, as amounts may be rounded in each row.
    const isEqual = Math.abs(byDay - whole) <= 0.005 * days.rows.length;
    if (!isEqual) differences.push(`${metric}: ${byDay} by day, ${whole} in total`);
  }
  return differences.length === 0 ? undefined : differences.join('; ');
}

/** Adds up a metric. Throws `NotTried` for a value that is not a number. */
function sumIn({ rows }: ProbeReport, metric: string): number {
  const sum = new ExactSum();
  for (const row of rows) {
    const number = Decimal.parse(toDecimalString(row[metric]) ?? '');
    if (!number) throw new NotTried(`${metric} is ${quoteValue(row[metric])} in a row`);
    sum.add(number);
  }
  return Number(sum.get() ?? 0);
}

async function checkFilter(service: ServiceProbe): Promise<string | undefined> {
  const all = await requireFor('the report by campaign', service.report('campaigns'));
  const campaignId = all.rows.map((row) => row.campaignId).find(isDigits);
  if (typeof campaignId !== 'string') throw new NotTried('that report names no campaign');

  const report = await service.reportOfCampaign(campaignId);
  if (report.rows.length === 0) return 'the campaign has no rows then';
  return findDifference(report, 'filters');
}

const maxValueLength = 60;

/** Returns the JSON of a value, shortened. */
function quoteValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (isObject(value)) return 'an object';
  const json = printable(JSON.stringify(value));
  return json.length > maxValueLength ? `${json.slice(0, maxValueLength)}…` : json;
}
