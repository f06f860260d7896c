import { type AdUnit, type CampaignRecord, defaultZone } from '../../../contract/messages.ts';
import type { TextColumn } from '../../../output/table/text-table.ts';
import { formatInstant } from '../../../report/window/window.ts';
import { resolveWindow } from '../../../report/window/window-flags.ts';

/** A campaign's row, or with its ad unit an ad unit's. */
export type CampaignRow = Omit<CampaignRecord, 'adunits'> & Partial<AdUnit> & { readonly adunits?: readonly AdUnit[] };

type Column = TextColumn<CampaignRow>;

const advertiserName: Column = { name: 'advertiserName', value: (row) => row.advertiserName };
/** A campaign, and an ad unit, by what people look for: the last to be given up where there is no room. */
const campaignNames: readonly Column[] = [
  { name: 'campaignId', value: (row) => row.campaignId, keep: true },
  { name: 'campaignName', value: (row) => row.campaignName, keep: true },
];
const adUnitNames: readonly Column[] = [
  { name: 'adunitId', value: (row) => row.adunitId, keep: true },
  { name: 'adunitName', value: (row) => row.adunitName, keep: true },
];
const adUnitCount: Column = { name: 'adunits', value: (row) => row.adunits?.length ?? 0, type: 'integer' };

const ownColumns: readonly Column[] = [
  { name: 'advertiserId', value: (row) => row.advertiserId },
  advertiserName,
  ...campaignNames,
  { name: 'campaignStartDate', value: (row) => row.campaignStartDate, type: 'wallTime' },
  { name: 'campaignEndDate', value: (row) => row.campaignEndDate, type: 'wallTime' },
];

/** The fields of a campaign record (specification, Campaign record), its ad units as their number. */
export const campaignColumns: readonly Column[] = [...ownColumns, adUnitCount];

/** The fields of an ad unit, after those of its campaign. */
export const adUnitColumns: readonly Column[] = [...ownColumns, ...adUnitNames];

/** What people look at on a terminal: names first, days instead of seconds. The other formats have every field whole. */
export function tableColumns(adUnits: boolean): readonly Column[] {
  return [
    ...campaignNames,
    ...(adUnits ? adUnitNames : []),
    advertiserName,
    { name: 'start', value: (row) => row.campaignStartDate.slice(0, 10) },
    { name: 'end', value: (row) => row.campaignEndDate.slice(0, 10) },
    ...(adUnits ? [] : [adUnitCount]),
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
 * (`decisions.md` 5). Throws `UsageError` for a text that is no period.
 *
 * @param nowMs milliseconds since 1970
 */
export function activeDuring(period: string, nowMs: number): (campaign: CampaignRecord) => boolean {
  const { since, until } = resolveWindow({ period, zone: defaultZone, nowMs });
  const first = wallTime(since);
  const last = wallTime(until);
  return ({ campaignStartDate, campaignEndDate }) =>
    // A date that is missing is no bound.
    (campaignStartDate === '' || campaignStartDate <= last) && (campaignEndDate === '' || campaignEndDate >= first);
}

/** An instant in unix seconds as campaign records have it: `2026-10-25 02:00:00`, in Paris. */
function wallTime(instant: number): string {
  return formatInstant(instant, defaultZone).slice(0, 19).replace('T', ' ');
}
