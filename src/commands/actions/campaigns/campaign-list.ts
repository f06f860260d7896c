import { type AdUnit, type CampaignRecord, defaultZone } from '../../../contract/messages.ts';
import type { TextColumn } from '../../../output/table/text-table.ts';
import { formatInstant } from '../../../report/window/window.ts';
import { resolveWindow } from '../../../report/window/window-flags.ts';

/** A campaign's row, or with its ad unit an ad unit's. */
export type CampaignRow = Omit<CampaignRecord, 'adunits'> & Partial<AdUnit> & { readonly adunits?: readonly AdUnit[] };

const ownColumns: readonly TextColumn<CampaignRow>[] = [
  { name: 'advertiserId', value: (row) => row.advertiserId },
  { name: 'advertiserName', value: (row) => row.advertiserName },
  { name: 'campaignId', value: (row) => row.campaignId, keep: true },
  { name: 'campaignName', value: (row) => row.campaignName, keep: true },
  { name: 'campaignStartDate', value: (row) => row.campaignStartDate, type: 'wallTime' },
  { name: 'campaignEndDate', value: (row) => row.campaignEndDate, type: 'wallTime' },
];

export const campaignColumns: readonly TextColumn<CampaignRow>[] = [
  ...ownColumns,
  { name: 'adunits', value: (row) => row.adunits?.length ?? 0, type: 'integer' },
];

export const adUnitColumns: readonly TextColumn<CampaignRow>[] = [
  ...ownColumns,
  { name: 'adunitId', value: (row) => row.adunitId, keep: true },
  { name: 'adunitName', value: (row) => row.adunitName, keep: true },
];

/** What people look at on a terminal: names first, days instead of seconds. The other formats have every field whole. */
export function tableColumns(adUnits: boolean): readonly TextColumn<CampaignRow>[] {
  return [
    { name: 'campaignId', value: (row) => row.campaignId, keep: true },
    { name: 'campaignName', value: (row) => row.campaignName, keep: true },
    ...(adUnits
      ? ([
          { name: 'adunitId', value: (row) => row.adunitId, keep: true },
          { name: 'adunitName', value: (row) => row.adunitName, keep: true },
        ] satisfies TextColumn<CampaignRow>[])
      : []),
    { name: 'advertiserName', value: (row) => row.advertiserName },
    { name: 'start', value: (row) => row.campaignStartDate.slice(0, 10) },
    { name: 'end', value: (row) => row.campaignEndDate.slice(0, 10) },
    ...(adUnits ? [] : [{ name: 'adunits', value: (row: CampaignRow) => row.adunits?.length ?? 0 }]),
  ];
}

/** One row an ad unit; a campaign without any has none. */
export function adUnitRows(campaigns: readonly CampaignRecord[]): CampaignRow[] {
  return campaigns.flatMap(({ adunits, ...campaign }) =>
    adunits.map(({ adunitId, adunitName }) => ({ ...campaign, adunitId, adunitName })),
  );
}

/** Whether a campaign, or one of its ad units, has the text in a name, or is the one of that id. */
export function matchesText({ adunits, ...campaign }: CampaignRecord, text: string): boolean {
  const wanted = text.toLowerCase();
  const names = [campaign.campaignName, campaign.advertiserName, ...adunits.map(({ adunitName }) => adunitName)];
  const ids = [campaign.campaignId, campaign.advertiserId, ...adunits.map(({ adunitId }) => adunitId)];
  return names.some((name) => name.toLowerCase().includes(wanted)) || ids.includes(wanted);
}

/**
 * A test for the campaigns that run at some time of a day, or of any period; their dates are Paris wall time
 * (specification, Campaign record). Throws `UsageError` for a text that is no period.
 */
export function activeDuring(period: string, nowMs: number): (campaign: CampaignRecord) => boolean {
  const { since, until } = resolveWindow({ period, zone: defaultZone, nowMs });
  const [first, last] = [since, until].map((instant) =>
    formatInstant(instant, defaultZone).slice(0, 19).replace('T', ' '),
  );
  return ({ campaignStartDate, campaignEndDate }) =>
    // A date that is missing is no bound.
    (campaignStartDate === '' || campaignStartDate <= (last ?? '')) &&
    (campaignEndDate === '' || campaignEndDate >= (first ?? ''));
}
