import { readCampaigns } from '../client/campaigns.ts';
import { type CampaignRecord, defaultZone } from '../contract/messages.ts';
import { formatInstant } from '../query/calendar.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { listOutputFlags } from '../query/flags/output-flags.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import { resolvePeriod } from '../query/period.ts';
import type { Context } from '../run/context.ts';
import { declareCommand } from './command.ts';
import { type ListColumn, type ListRow, prepareList } from './record-list.ts';

const listFlags = flagGroup('Flags:', {
  adUnits: { flags: '--ad-units', meaning: 'one row per ad unit' },
  search: {
    flags: '--search <text>',
    meaning: 'only campaigns with this text in a name, or with this ID',
  },
  active: {
    flags: '--active [period]',
    meaning: 'only those running in this period, or today',
    preset: 'today',
  },
});

const flags = [listFlags, listOutputFlags, serviceFlags] as const;

export const campaignsCommand = declareCommand({
  name: 'campaigns',
  summary: 'list campaigns and their ad units',
  examples: [
    ['adreport campaigns --local', 'a table on a terminal, CSV in a pipe'],
    [
      'adreport campaigns --local --active --search puzzle',
      'running today, with “puzzle” in a name',
    ],
  ],
  flags,
  async action({ context, options }) {
    await campaigns(context, options);
    return 0;
  },
});

/** Lists campaigns, or with `--ad-units` their ad units. */
async function campaigns(context: Context, options: OptionsOf<typeof flags>): Promise<void> {
  const { search, active, adUnits } = options;
  const nowMs = context.host.wallClock();
  const isActive = active === undefined ? undefined : activeDuring(active, nowMs);
  const write = await prepareList(context, options, adUnits ? adUnitLayout : campaignLayout);

  const list = await readCampaigns(await context.account.client());
  for (const { message } of list.warnings) context.console.warn(message);
  const matching = list.campaigns.filter((campaign) => {
    if (isActive && !isActive(campaign)) return false;
    return search === undefined || matchesText(campaign, search);
  });

  const emptyNote = 'No campaigns found.';
  if (adUnits) await write({ rows: matching.flatMap(toAdUnitRows), emptyNote });
  else await write({ rows: matching.map(toCampaignRow), records: matching, emptyNote });
}

const advertiserId: ListColumn = { name: 'advertiserId', whole: true };
const advertiserName: ListColumn = { name: 'advertiserName' };
const campaignId: ListColumn = { name: 'campaignId', whole: true };
const campaignName: ListColumn = { name: 'campaignName' };
const startDate: ListColumn = { name: 'campaignStartDate', type: 'wallTime' };
const endDate: ListColumn = { name: 'campaignEndDate', type: 'wallTime' };
const adUnitId: ListColumn = { name: 'adunitId', whole: true };
const adUnitName: ListColumn = { name: 'adunitName' };
const adUnitCount: ListColumn = { name: 'adunits', type: 'integer' };

const everyDetail = [advertiserId, advertiserName, campaignId, campaignName, startDate, endDate];

// Tables show days instead of seconds.
const start: ListColumn = { name: 'start', whole: true };
const end: ListColumn = { name: 'end', whole: true };

const campaignLayout = {
  columns: [...everyDetail, adUnitCount],
  tableColumns: [campaignId, campaignName, advertiserName, start, end, adUnitCount],
};

const adUnitLayout = {
  columns: [...everyDetail, adUnitId, adUnitName],
  tableColumns: [campaignId, campaignName, adUnitId, adUnitName, advertiserName, start, end],
};

/** Converts a campaign to a row, with its days and the number of its ad units. */
function toCampaignRow({ adunits, ...campaign }: CampaignRecord): ListRow {
  return { ...campaign, ...formatDays(campaign), adunits: adunits.length };
}

function toAdUnitRows({ adunits, ...campaign }: CampaignRecord): ListRow[] {
  return adunits.map(({ adunitId, adunitName }) => {
    return { ...campaign, ...formatDays(campaign), adunitId, adunitName };
  });
}

/** Formats the first and last day of a campaign for tables. */
function formatDays(campaign: Omit<CampaignRecord, 'adunits'>) {
  const start = campaign.campaignStartDate.slice(0, 10);
  const lastDay = campaign.campaignEndDate.slice(0, 10);

  // The service uses this year for campaigns without an end.
  const isEndless = lastDay.startsWith('9999-');
  return { start, end: isEndless ? 'no end' : lastDay };
}

/**
 * Searches the names and ids of a campaign and its ad units; ignores accents and case in names, but
 * needs a whole id.
 */
function matchesText({ adunits, ...campaign }: CampaignRecord, text: string): boolean {
  const plain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const names = [
    campaign.campaignName,
    campaign.advertiserName,
    ...adunits.map(({ adunitName }) => adunitName),
  ];
  const ids = [
    campaign.campaignId,
    campaign.advertiserId,
    ...adunits.map(({ adunitId }) => adunitId),
  ];
  return names.some((name) => plain(name).includes(plain(text))) || ids.includes(text);
}

/** Selects campaigns that run in a period; their dates are Paris wall time (`decisions.md` 5). */
function activeDuring(period: string, nowMs: number): (campaign: CampaignRecord) => boolean {
  const { since, until } = resolvePeriod({ period }, { zone: defaultZone, nowMs });
  const wallSince = wallTime(since);
  const wallUntil = wallTime(until);

  // A missing or invalid date (`0000-00-00`) sets no bound.
  return ({ campaignStartDate, campaignEndDate }) => {
    const start = readDate(campaignStartDate);
    if (start !== undefined && start > wallUntil) return false;
    const end = readDate(campaignEndDate);
    // A date without a time includes the whole day.
    return end === undefined || end >= wallSince.slice(0, end.length);
  };
}

/** Reads a date of a campaign; `undefined` for an invalid one. */
function readDate(date: string): string | undefined {
  return /^[1-9]\d{3}-\d\d-\d\d/.test(date) ? date : undefined;
}

/** Formats an instant like campaign dates: `2026-11-01 00:00:00`. */
function wallTime(instant: number): string {
  return formatInstant(instant, defaultZone).slice(0, 19).replace('T', ' ');
}
