import type { CampaignRecord } from '../contract/messages.ts';
import { encodeTable } from '../formats/index.ts';
import { findPrinter } from '../formats/page-printer.ts';
import { drawList, type TextColumn } from '../present/terminal/text-table.ts';
import type { Output } from '../query/query.ts';
import type { Context } from '../run/context.ts';

/** A campaign or an ad unit, by column. */
type Row = Readonly<Record<string, string | number>>;

/** Encodes campaigns or their ad units in a format. */
export async function encodeCampaigns(
  campaigns: readonly CampaignRecord[],
  { path, format, adUnits }: Output & { readonly adUnits: boolean },
  { console, host }: Context,
): Promise<Buffer> {
  const rows = adUnits ? campaigns.flatMap(toAdUnitRows) : campaigns.map(toCampaignRow);
  const layout = adUnits ? adUnitColumns : campaignColumns;
  if (format === 'table') {
    return Buffer.from(drawList(rows, layout.inTables, path === '-' ? console.out.look : {}));
  }

  const columns = layout.inFiles;
  if (format === 'json' || format === 'ndjson') {
    return encodeJson(format, adUnits ? rows.map((row) => pick(row, columns)) : campaigns);
  }
  return encodeTable(format, rows, columns, {
    isForTerminal: path === '-' && console.out.isTerminal,
    printer: findPrinter(format, host),
  });
}

function column(name: string, look: Partial<TextColumn<Row>> = {}): TextColumn<Row> {
  return { name, value: (row) => row[name], ...look };
}

const campaignId = column('campaignId', { neverShortened: true });
const campaignName = column('campaignName');
const advertiserName = column('advertiserName');
const adUnitCount = column('adunits', { type: 'integer' });
const adUnitId = column('adunitId', { neverShortened: true });
const adUnitName = column('adunitName');

const everyDetail = [
  column('advertiserId'),
  advertiserName,
  campaignId,
  campaignName,
  column('campaignStartDate', { type: 'wallTime' }),
  column('campaignEndDate', { type: 'wallTime' }),
];

/** Tables show days instead of seconds. */
const days: TextColumn<Row>[] = [
  { name: 'Start', value: ({ start }) => start, neverShortened: true },
  { name: 'End', value: ({ end }) => end, neverShortened: true },
];

const campaignColumns = {
  inFiles: [...everyDetail, adUnitCount],
  inTables: [campaignId, campaignName, advertiserName, ...days, adUnitCount],
};

const adUnitColumns = {
  inFiles: [...everyDetail, adUnitId, adUnitName],
  inTables: [campaignId, campaignName, adUnitId, adUnitName, advertiserName, ...days],
};

/** Adds the days and the number of ad units. */
function toCampaignRow({ adunits, ...campaign }: CampaignRecord): Row {
  return { ...campaign, ...formatDays(campaign), adunits: adunits.length };
}

function toAdUnitRows({ adunits, ...campaign }: CampaignRecord): Row[] {
  return adunits.map((adUnit) => ({ ...campaign, ...formatDays(campaign), ...adUnit }));
}

/** Formats the first and last day of a campaign for tables. */
function formatDays(campaign: Omit<CampaignRecord, 'adunits'>) {
  const start = campaign.campaignStartDate.slice(0, 10);
  const lastDay = campaign.campaignEndDate.slice(0, 10);

  // The service uses the year 9999 for campaigns without an end.
  const isEndless = lastDay.startsWith('9999-');
  return { start, end: isEndless ? 'no end' : lastDay };
}

/** Copies the properties of a row in the order of columns. */
function pick(row: Row, columns: readonly TextColumn<Row>[]): object {
  return Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]));
}

/** Encodes records as JSON or NDJSON, with one record per line. */
function encodeJson(format: 'json' | 'ndjson', records: readonly object[]): Buffer {
  const lines = records.map((record) => JSON.stringify(record));

  if (format === 'ndjson') return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return Buffer.from(lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`);
}
