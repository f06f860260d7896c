import { readCampaigns } from '../client/campaigns.ts';
import { type CampaignRecord, defaultZone } from '../contract/messages.ts';
import { openTarget } from '../output/target.ts';
import { formatInstant } from '../query/calendar.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { listOutputFlags } from '../query/flags/output-flags.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import { resolvePeriod } from '../query/period.ts';
import type { Context } from '../run/context.ts';
import { chooseOutputs } from '../run/prepare-files.ts';
import { declareCommand } from './command.ts';
import { encodeCampaigns } from './encode-campaigns.ts';

const listFlags = flagGroup('Flags:', {
  adUnits: { flags: '--ad-units', meaning: 'one row per ad unit' },
  search: {
    flags: '--search <text>',
    meaning: 'keep only campaigns with this text in a name, or with this ID',
  },
  active: {
    flags: '--active [period]',
    meaning: 'keep only those running in this period, or today',
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
  action: ({ context, options }) => campaigns(context, options),
});

/** Lists campaigns, or their ad units with `--ad-units`. */
async function campaigns(context: Context, options: OptionsOf<typeof flags>): Promise<void> {
  const { search, active, adUnits = false } = options;
  const { host, console, account } = context;
  const isActive = active === undefined ? undefined : selectActive(active, host.wallClock());
  const [output] = chooseOutputs(context, { ...options, output: [options.output ?? '-'] });
  const target = await openTarget(
    { host, stdout: console },
    { path: output.path, names: { account: await account.name() }, clobber: true },
  );

  const list = await readCampaigns(await account.client());
  for (const { message } of list.warnings) console.warn(message);
  const matching = list.campaigns.filter((campaign) => {
    if (isActive && !isActive(campaign)) return false;
    return search === undefined || matchesText(campaign, search);
  });

  const file = await target.open();
  try {
    await file.write(await encodeCampaigns(matching, { ...output, adUnits }, context));
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
  const count = adUnits ? matching.flatMap(({ adunits }) => adunits).length : matching.length;
  if (count === 0) console.note('No campaigns found.');
}

/**
 * Searches the names and IDs of a campaign and its ad units. Names match any part, ignoring accents
 * and case; IDs must match completely.
 */
function matchesText({ adunits, ...campaign }: CampaignRecord, text: string): boolean {
  const plain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const members = [campaign, ...adunits].flatMap((record) => Object.entries({ ...record }));
  return members.some(([field, value]) => {
    if (field.endsWith('Name')) return plain(value).includes(plain(text));
    return field.endsWith('Id') && value === text;
  });
}

/**
 * Builds a filter for campaigns that run in a period. Campaign dates are Paris wall time
 * (`decisions.md` 5).
 */
function selectActive(period: string, nowMs: number): (campaign: CampaignRecord) => boolean {
  const { since, until } = resolvePeriod({ period }, { zone: defaultZone, nowMs });
  const wallSince = wallTime(since);
  const wallUntil = wallTime(until);

  // A missing or invalid date (`0000-00-00`) does not limit the campaign.
  return ({ campaignStartDate, campaignEndDate }) => {
    const start = readDate(campaignStartDate);
    if (start !== undefined && start > wallUntil) return false;
    const end = readDate(campaignEndDate);
    // A date without a time includes the whole day.
    return end === undefined || end >= wallSince.slice(0, end.length);
  };
}

/** Returns `undefined` for an invalid date. */
function readDate(date: string): string | undefined {
  return /^[1-9]\d{3}-\d\d-\d\d/.test(date) ? date : undefined;
}

/** Formats an instant like a campaign date: `2026-11-01 00:00:00`. */
function wallTime(instant: number): string {
  return formatInstant(instant, defaultZone).slice(0, 19).replace('T', ' ');
}
