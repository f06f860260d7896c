import { openTarget } from '../app/deliver.ts';
import { addOutputFlags, addServiceFlags, type OutputFlags, type ServiceFlags } from '../app/flags.ts';
import { checkDialect, chooseFormat, tableLook } from '../app/output-flags.ts';
import type { Context } from '../context.ts';
import { type AdUnit, type CampaignRecord, defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { csvDialectOf, stringifyTable } from '../output/formats/csv.ts';
import type { FormatName } from '../output/formats/index.ts';
import { encodeTable } from '../output/table/encode-table.ts';
import { type TextColumn, textTable } from '../output/table/text-table.ts';
import { formatInstant } from '../report/window/window.ts';
import { resolveWindow } from '../report/window/window-flags.ts';
import { nearest } from '../text/nearest.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export interface CampaignsOptions extends ServiceFlags, OutputFlags {
  readonly adUnits?: boolean;
  readonly search?: string;
  /** `true` where the flag has no value: today. */
  readonly active?: string | true;
}

export const campaignsCommand: CommandBuilder = (perform) =>
  addOutputFlags(
    addServiceFlags(
      declareCommand('campaigns', 'list campaigns and their ad units', [
        ['adreport campaigns --local', 'a table on a terminal, CSV in a pipe'],
        ['adreport campaigns --local --active --search puzzle', 'running today, with “puzzle” in a name'],
        ['adreport campaigns --local --ad-units --format json', 'one object an ad unit'],
      ])
        .option('--ad-units', 'one row an ad unit')
        .option('--search <text>', 'only those with the text in a name or an id; any case')
        .option('--active [date]', 'only those that run on the day (default: today), YYYY-MM-DD'),
    ),
  ).action(perform(campaigns));

/** Lists campaigns, or with `--ad-units` their ad units, in any format. */
async function campaigns(context: Context, options: CampaignsOptions): Promise<void> {
  const format = options.format === undefined && context.flags.json ? 'json' : chooseFormat(context, options);
  checkDialect(context, options, format);
  const columns = chooseColumns(options, format);
  const isWanted = selection(options, context.host.wallClock());
  const target = await openTarget(context, options, {});

  const found = (await (await context.client()).campaigns()).filter(isWanted);
  const rows = options.adUnits ? adUnitRows(found) : found;
  const bytes = await render(context, options, { format, rows, columns });
  const output = await target.open();
  try {
    await output.write(bytes);
    await output.commit();
  } catch (error) {
    await output.abort();
    throw error;
  }
}

function selection({ search, active }: CampaignsOptions, nowMs: number): (campaign: CampaignRecord) => boolean {
  const isActive = active === undefined ? () => true : activeDuring(active === true ? 'today' : active, nowMs);
  return (campaign) => isActive(campaign) && (search === undefined || matchesText(campaign, search));
}

function chooseColumns({ adUnits, columns }: CampaignsOptions, format: FormatName): readonly TextColumn<CampaignRow>[] {
  const all = adUnits ? adUnitColumns : campaignColumns;
  if (columns !== undefined) return columnsNamed(columns, all);
  return format === 'table' ? tableColumns(adUnits === true) : all;
}

/** The columns of a list of names, any case, in its order. Throws `UsageError`. */
function columnsNamed(list: string, known: readonly TextColumn<CampaignRow>[]): readonly TextColumn<CampaignRow>[] {
  const names = known.map(({ name }) => name);
  return list.split(',').map((part) => {
    const wanted = part.trim();
    const found = known.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
    if (found) return found;
    const guess = nearest(wanted, names);
    const hint = guess ? `Did you mean ${guess}?` : `Known are ${names.join(', ')}.`;
    throw new UsageError(`--columns: there is no column “${wanted}”.`, { hint });
  });
}

interface Listing {
  readonly format: FormatName;
  readonly rows: readonly CampaignRow[];
  readonly columns: readonly TextColumn<CampaignRow>[];
}

async function render(
  context: Context,
  options: CampaignsOptions,
  { format, rows, columns }: Listing,
): Promise<Uint8Array> {
  if (format === 'table') return Buffer.from(textTable(rows, columns, tableLook(context, options)));
  if (format === 'csv') {
    return Buffer.from(await stringifyTable(rows, columns, csvDialectOf(options)));
  }
  if (format !== 'json' && format !== 'ndjson') {
    return encodeTable(format, rows, columns, context.console.note);
  }
  const objects = options.columns === undefined ? rows : rows.map((row) => pick(row, columns));
  if (format === 'ndjson') return Buffer.from(objects.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const lines = objects.map((row) => `\n${JSON.stringify(row)}`).join(',');
  return Buffer.from(`[${lines}${objects.length > 0 ? '\n' : ''}]\n`);
}

function pick(row: CampaignRow, columns: readonly TextColumn<CampaignRow>[]): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]));
}

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
