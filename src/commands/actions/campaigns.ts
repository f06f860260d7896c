import { checkDialect, chooseFormat, tableLook } from '../../app/output/output-flags.ts';
import { openTarget } from '../../app/output/output-target.ts';
import type { Context } from '../../context.ts';
import type { CampaignRecord } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { csvDialectOf } from '../../output/formats/csv.ts';
import type { FormatName } from '../../output/formats/index.ts';
import { type TextColumn, textTable } from '../../output/table/text-table.ts';
import { nearest } from '../../text/nearest.ts';
import type { CampaignsOptions } from '../campaigns.ts';
import {
  activeDuring,
  adUnitColumns,
  adUnitRows,
  type CampaignRow,
  campaignColumns,
  matchesText,
  tableColumns,
} from './campaigns/campaign-list.ts';

/** Lists campaigns, or with `--ad-units` their ad units, in any format. */
export async function campaigns(context: Context, options: CampaignsOptions): Promise<void> {
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
    const { stringifyTable } = await import('../../output/formats/csv.ts');
    return Buffer.from(await stringifyTable(rows, columns, csvDialectOf(options)));
  }
  if (format !== 'json' && format !== 'ndjson') {
    const { encodeTable } = await import('../../output/table/encode-table.ts');
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
