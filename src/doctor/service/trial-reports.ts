import { defaultZone, type ReportRequest, type WindowClock } from '../../contract/messages.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import { planReport } from '../../report/request.ts';
import { formatDate } from '../../report/window.ts';

export type TrialReportName =
  | 'days'
  | 'whole'
  | 'campaigns'
  | 'oneCampaign'
  | 'hours'
  | 'direct'
  | 'csv'
  | 'zone'
  | 'advertiser'
  | 'twoTimes'
  | 'unknownParameter'
  | 'backwards';

/** A report that a trial orders. */
export interface TrialReport {
  readonly name: TrialReportName;

  /** Shown to the user, who confirms the order. */
  readonly description: string;
  readonly request: ReportRequest;
}

export interface TrialReportOptions {
  readonly profile: Profile;

  /** The setting for how the service reads the window. */
  readonly windowClock: WindowClock;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The zone of a DSP report that is not in the default zone. */
export const otherZone = 'Asia/Tokyo';
const dayMs = 86_400_000;

/** The reports that the trials order: at most ten, of past days, some of which must be refused. */
export function planTrialReports(options: TrialReportOptions): TrialReport[] {
  const { profile, nowMs } = options;
  const dayBefore = (days: number): string =>
    formatDate((nowMs - days * dayMs) / 1_000, defaultZone);
  const isBuyer = profile === 'buyer';
  const metrics = isBuyer
    ? 'displays,clicks,revenueEuro,revenueDollar'
    : 'displays,revenueEuro,revenueDollar';

  const threeDays = { since: dayBefore(4), until: dayBefore(2) };
  const oneDay = { since: dayBefore(3), until: dayBefore(3) };
  const plan = (flags: object): ReportRequest =>
    planReport({ ...options, metrics, ...threeDays, ...flags }).request;

  const days = plan({ by: 'DAILY' });
  const small = plan({ by: 'DAILY', metrics: 'displays', ...oneDay });
  const threeDaysText = `${threeDays.since} to ${threeDays.until}`;
  const reports: TrialReport[] = [
    { name: 'days', description: `${threeDaysText} by DAILY`, request: days },
    { name: 'whole', description: `${threeDaysText} as one row`, request: plan({}) },
    {
      name: 'hours',
      description: `${oneDay.since} by HOURLY and FORMAT, as a form`,
      request: plan({ by: 'HOURLY,FORMAT', metrics: 'displays', ...oneDay }),
    },
    {
      name: 'direct',
      description: `${oneDay.since} by DAILY, with output=direct`,
      request: { ...small, output: 'direct' },
    },
  ];

  if (isBuyer) {
    const byCampaign = plan({ by: 'CAMPAIGN' });
    reports.push(
      { name: 'campaigns', description: `${threeDaysText} by CAMPAIGN`, request: byCampaign },
      { name: 'oneCampaign', description: 'one of those campaigns', request: byCampaign },
      {
        name: 'advertiser',
        description: `${oneDay.since} of one advertiser, which only administrators may request`,
        request: { ...small, filters: { advertiserId: ['1'] } },
      },
    );
  } else {
    reports.push(
      { name: 'csv', description: `${oneDay.since} by DAILY, as CSV`, request: small },
      {
        name: 'zone',
        description: `${oneDay.since} by DAILY, in the time zone ${otherZone}`,
        request: plan({ by: 'DAILY', metrics: 'displays', ...oneDay, timezone: otherZone }),
      },
    );
  }

  reports.push(
    {
      name: 'twoTimes',
      description: `${oneDay.since} by DAILY and MONTHLY, which should be refused`,
      request: { ...small, breakdowns: ['DAILY', 'MONTHLY'] },
    },
    {
      name: 'unknownParameter',
      description: `${oneDay.since} with an unknown parameter, which should be refused`,
      request: small,
    },
    {
      name: 'backwards',
      description: 'a window that ends before it begins, which should be refused',
      request: { ...small, since: small.until, until: small.since },
    },
  );
  return reports;
}
