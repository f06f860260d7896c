import { chooseFormat, csvDialect, openTarget, tableLook } from '../app/deliver.ts';
import { addOutputFlags, addServiceFlags, type OutputFlags, type ServiceFlags } from '../app/flags.ts';
import type { Context } from '../context.ts';
import { type AdUnit, type CampaignRecord, defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { encodeTable, type FormatName } from '../output/formats/index.ts';
import { type TextColumn, textTable } from '../output/table/text-table.ts';
import { formatInstant } from '../report/window.ts';
import { resolveWindow } from '../report/window-flags.ts';
import { nearest } from '../text/nearest.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

interface CampaignsOptions extends ServiceFlags, OutputFlags {
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

/** A campaign's row, or with its ad unit an ad unit's. */
type CampaignRow = Omit<CampaignRecord, 'adunits'> & Partial<AdUnit> & { readonly adunits?: readonly AdUnit[] };

type Column = TextColumn<CampaignRow>;

/** What people look for, a campaign and an ad unit, is the last to be given up where there is no room. */
const campaignColumns: readonly Column[] = [
  { name: 'campaignId', value: (row) => row.campaignId, keep: true },
  { name: 'campaignName', value: (row) => row.campaignName, keep: true },
];
const adUnitColumns: readonly Column[] = [
  { name: 'adunitId', value: (row) => row.adunitId, keep: true },
  { name: 'adunitName', value: (row) => row.adunitName, keep: true },
];
const adUnitCount: Column = { name: 'adunits', value: (row) => row.adunits?.length ?? 0, type: 'integer' };
const advertiserName: Column = { name: 'advertiserName', value: (row) => row.advertiserName };

/** Lists campaigns, or with `--ad-units` their ad units, in any format. */
async function campaigns(context: Context, options: CampaignsOptions): Promise<void> {
  const { search, active } = options;
  const format = options.format === undefined && context.flags.json ? 'json' : chooseFormat(context, options);
  const dialect = csvDialect(context, options);
  const columns = chooseColumns(options, format);
  const isActive =
    active === undefined ? () => true : activeDuring(active === true ? 'today' : active, context.host.wallClock());
  const target = await openTarget(context, options, {});

  const all = await (await context.client()).campaigns();
  const found = all.filter((one) => isActive(one) && (search === undefined || matchesText(one, search)));
  // A campaign without any ad unit has no row among theirs.
  const rows: readonly CampaignRow[] = options.adUnits
    ? found.flatMap(({ adunits, ...one }) =>
        adunits.map(({ adunitId, adunitName }) => ({ ...one, adunitId, adunitName })),
      )
    : found;
  const output = await target.open();
  try {
    if (format === 'table') await output.write(Buffer.from(textTable(rows, columns, tableLook(context, options))));
    else if (format === 'json' || format === 'ndjson')
      await output.write(Buffer.from(jsonOf(rows, columns, options, format)));
    else await output.write(await encodeTable(format, rows, columns, { csv: dialect, note: context.console.note }));
    await output.commit();
  } catch (error) {
    await output.abort();
    throw error;
  }
}

/**
 * The columns that `--columns` names, any case; else every field, or on a terminal what people look at: names first, days
 * instead of seconds. Throws `UsageError`.
 */
function chooseColumns({ adUnits, columns }: CampaignsOptions, format: FormatName): readonly Column[] {
  const own = adUnits ? adUnitColumns : [adUnitCount];
  if (columns === undefined && format === 'table') {
    const start: Column = { name: 'start', value: (row) => row.campaignStartDate.slice(0, 10) };
    const end: Column = { name: 'end', value: (row) => row.campaignEndDate.slice(0, 10) };
    return [...campaignColumns, ...(adUnits ? own : []), advertiserName, start, end, ...(adUnits ? [] : own)];
  }
  const known: readonly Column[] = [
    { name: 'advertiserId', value: (row) => row.advertiserId },
    advertiserName,
    ...campaignColumns,
    { name: 'campaignStartDate', value: (row) => row.campaignStartDate, type: 'wallTime' },
    { name: 'campaignEndDate', value: (row) => row.campaignEndDate, type: 'wallTime' },
    ...own,
  ];
  return columns === undefined ? known : columns.split(',').map((name) => columnNamed(name.trim(), known));
}

function columnNamed(wanted: string, known: readonly Column[]): Column {
  const found = known.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const names = known.map(({ name }) => name);
  const guess = nearest(wanted, names);
  const hint = guess ? `Did you mean ${guess}?` : `Known are ${names.join(', ')}.`;
  throw new UsageError(`--columns: there is no column “${wanted}”.`, { hint });
}

/** The records as the service sent them, or of each what `--columns` names. */
function jsonOf(
  rows: readonly CampaignRow[],
  columns: readonly Column[],
  options: CampaignsOptions,
  format: FormatName,
) {
  const pick = (row: CampaignRow) => Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]));
  const lines = rows.map((row) => JSON.stringify(options.columns === undefined ? row : pick(row)));
  if (format === 'ndjson') return lines.map((line) => `${line}\n`).join('');
  return lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`;
}

/** Whether a campaign, or one of its ad units, has the text in a name, or is the one of that id. */
function matchesText({ adunits, ...campaign }: CampaignRecord, text: string): boolean {
  const wanted = text.toLowerCase();
  const names = [campaign.campaignName, campaign.advertiserName, ...adunits.map(({ adunitName }) => adunitName)];
  const ids = [campaign.campaignId, campaign.advertiserId, ...adunits.map(({ adunitId }) => adunitId)];
  return names.some((name) => name.toLowerCase().includes(wanted)) || ids.includes(wanted);
}

/** A test for the campaigns that run at some time of a period; their dates are Paris wall time (`decisions.md` 5). */
function activeDuring(period: string, nowMs: number): (campaign: CampaignRecord) => boolean {
  const { since, until } = resolveWindow({ period, zone: defaultZone, nowMs });
  const [first = '', last = ''] = [since, until].map((instant) =>
    formatInstant(instant, defaultZone).slice(0, 19).replace('T', ' '),
  );
  // A date that is missing is no bound.
  return ({ campaignStartDate: start, campaignEndDate: end }) => start <= last && (end === '' || end >= first);
}
