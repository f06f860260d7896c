import { dayOf, numberTextOf, parseTimestamp } from '../contract/values.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { AdreportError, isStillInProgress, isUnknownReport } from '../errors.ts';
import { encodeBody } from '../query/body.ts';
import { Decimal } from '../text/decimal.ts';
import { isObject } from '../text/json-object.ts';
import { printable } from '../text/printable.ts';
import { ExactSum } from '../totals/exact-sum.ts';
import {
  endsTrials,
  NotTried,
  otherZone,
  type ProbeReport,
  requireFor,
  type ServiceProbe,
} from './service-probe.ts';

/** A property of the service that a client depends on. */
export interface Claim {
  readonly id: string;

  /** In the service's specification, or in `decisions.md`. */
  readonly kind: 'documented' | 'assumed';

  /** A sentence whose subject is the service. */
  readonly sentence: string;

  /** Why the claim is not tried for an account of this profile; absent to try it. */
  readonly lacks?: { readonly [P in Profile]?: string };

  /**
   * Returns what differs, or nothing. Throws `NotTried`, and an `AdreportError` for a response that
   * the client does not accept.
   */
  check(service: ServiceProbe): Promise<string | undefined>;
}

/** In the order in which they are tried. */
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
    lacks: { dsp: 'a DSP account may have no list of campaigns' },
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
    sentence: 'accepts JSON, and form fields with gaps between their indexes',
    check: checkEncodings,
  },
  {
    id: 'window-clock',
    kind: 'assumed',
    sentence: 'reads since and until as window-clock says, and includes both',
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
    lacks: { dsp: 'DSP reports have no filters' },
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
  return 'it answers with a status';
}

async function checkCampaigns({ client }: ServiceProbe): Promise<string | undefined> {
  const { document, campaigns } = await client.campaigns();
  if (!Array.isArray(document)) return 'the list is inside an object';

  for (const campaign of campaigns) {
    const { campaignId, campaignName, adunits } = campaign;
    const isWhole = isDigits(campaignId) && typeof campaignName === 'string';
    if (!isWhole) return `a campaign has the keys ${printable(Object.keys(campaign).join(', '))}`;
    if (!Array.isArray(adunits)) return `the ad units of a campaign are ${quoteValue(adunits)}`;
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
    const answer = await service.client.download(id);
    answer.close();
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
  const { summary } = await service.report('days');
  return summary ? undefined : 'the report has no summary of the documented shape';
}

async function checkEncodings(service: ServiceProbe): Promise<string | undefined> {
  const { encoding } = service.settings;
  const other = encoding === 'json' ? 'form' : 'json';
  const { contentType, text } = encodeBody(service.requestFor('hours'), other);
  const withGaps = text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
  const creations = [service.create('days'), service.createFrom({ contentType, text: withGaps })];

  const [own, others] = await Promise.allSettled(creations);
  if (own?.status === 'rejected') {
    if (others?.status !== 'fulfilled' || !isRefusal(own.reason)) throw own.reason;
    return `${own.reason.message} It accepts ${other}: adreport config set encoding ${other}`;
  }
  if (others?.status !== 'fulfilled') {
    if (!isRefusal(others?.reason)) throw others?.reason;
    return `a ${other} body is refused: ${others.reason.message}`;
  }

  const { summary } = await requireFor(
    `the report of a ${other} body`,
    service.fetch(others.value),
  );
  const wanted = service.requestFor('hours').breakdowns?.join();
  if (summary === undefined || summary.breakdowns.join() === wanted) return undefined;
  return `the breakdowns of a ${other} body are ${quoteValue(summary.breakdowns)}`;
}

/** Excludes errors after which no claim can be tried. */
function isRefusal(error: unknown): error is AdreportError {
  return error instanceof AdreportError && !endsTrials(error);
}

async function checkWindowClock(service: ServiceProbe): Promise<string | undefined> {
  const { windowClock } = service.settings;
  const summary = await requireSummary(service);
  const { since, until } = service.requestFor('days');
  const ends = [parseTimestamp(summary.since), parseTimestamp(summary.until)];
  const isRequested = (kind: 'instantMs' | 'wallMs'): boolean =>
    ends[0]?.[kind] === since * 1_000 && ends[1]?.[kind] === until * 1_000;

  const matches = { instant: isRequested('instantMs'), wall: isRequested('wallMs') };
  if (matches[windowClock]) return undefined;

  const otherClock = windowClock === 'wall' ? 'instant' : 'wall';
  const times = otherClock === 'wall' ? 'wall times' : 'instants';
  if (matches[otherClock]) {
    return `it reads them as ${times}: adreport config set window-clock ${otherClock}`;
  }
  return `the period in the summary is ${quoteValue(summary.since)} to ${quoteValue(summary.until)}`;
}

async function requireSummary(service: ServiceProbe, name: 'days' | 'zone' = 'days') {
  const { summary } = await requireFor('the report by day', service.report(name));
  if (!summary) throw new NotTried('the report by day has no summary');
  return summary;
}

/** Throws `NotTried` if the report has no rows. */
async function requireRows(service: ServiceProbe): Promise<ProbeReport['rows']> {
  const { rows } = await requireFor('the report by day', service.report('days'));
  if (rows.length === 0) throw new NotTried('those days have no rows');
  return rows;
}

async function checkDays(service: ServiceProbe): Promise<string | undefined> {
  const zoneDifference = await checkZone(service);
  if (zoneDifference !== undefined) return zoneDifference;

  const rows = await requireRows(service);
  const { since, until } = service.requestFor('days');

  const dates = new Set<unknown>();
  for (const { date } of rows) {
    const day = typeof date === 'string' ? dayOf(date) : undefined;
    if (day === undefined) return `the date of a row is ${quoteValue(date)}`;
    if (dates.has(date)) return `two rows have the date ${quoteValue(date)}`;
    dates.add(date);

    // The zone is at most 14 hours from UTC.
    const isInside = day * 86_400 > since - 86_400 && day * 86_400 < until + 86_400;
    if (!isInside) return `a row has the date ${quoteValue(date)}, outside the period`;
  }
  return undefined;
}

/** A buyer's days are always in Paris; a DSP's in the requested zone. */
async function checkZone(service: ServiceProbe): Promise<string | undefined> {
  const isBuyer = service.settings.profile === 'buyer';
  const { timezone } = await requireSummary(service, isBuyer ? 'days' : 'zone');
  if (timezone === (isBuyer ? 'europe/paris' : otherZone)) return undefined;
  return `timezone in the summary is ${quoteValue(timezone)}`;
}

async function checkSums(service: ServiceProbe): Promise<string | undefined> {
  await requireRows(service);
  const days = await service.report('days');
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

/** Throws `NotTried` for a value that is not a number. */
function sumIn({ rows }: ProbeReport, metric: string): number {
  const sum = new ExactSum();
  for (const row of rows) {
    const number = Decimal.parse(numberTextOf(row[metric]) ?? '');
    if (!number) throw new NotTried(`${metric} is ${quoteValue(row[metric])} in a row`);
    sum.add(number);
  }
  return Number(sum.get() ?? 0);
}

async function checkFilter(service: ServiceProbe): Promise<string | undefined> {
  const all = await requireFor('the report by campaign', service.report('campaigns'));
  const campaignId = all.rows.map((row) => row.campaignId).find(isDigits);
  if (typeof campaignId !== 'string') throw new NotTried('that report names no campaign');

  const { rows } = await service.filtered('campaign', { campaignId: [campaignId] });
  const others = rows.filter((row) => row.campaignId !== campaignId);
  if (others.length > 0) return `${others.length} of ${rows.length} rows are of other campaigns`;
  return rows.length === 0 ? 'the campaign has no rows then' : undefined;
}

const maxValueLength = 60;

/** Returns the JSON of a value, shortened. */
function quoteValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (isObject(value)) return 'an object';
  const json = printable(JSON.stringify(value));
  return json.length > maxValueLength ? `${json.slice(0, maxValueLength)}…` : json;
}
