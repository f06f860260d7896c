import { checkFormat, csvDialect, openTarget, tableLook } from '../app/deliver.ts';
import { flagGroup, type OptionsOf } from '../app/flags/flag.ts';
import { outputFlags } from '../app/flags/output-flags.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import type { Context } from '../context.ts';
import { type CampaignRecord, defaultZone } from '../contract/messages.ts';
import { UsageError } from '../errors.ts';
import { encodeTable, type FormatName } from '../output/formats/index.ts';
import { type TextColumn, textTable } from '../output/table/table-layout.ts';
import { formatInstant } from '../report/window.ts';
import { resolveWindow } from '../report/window-flags.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { declareCommand } from './command.ts';

const listFlags = flagGroup('Options:', {
  adUnits: { flags: '--ad-units', meaning: 'one row an ad unit' },
  search: {
    flags: '--search <text>',
    meaning: 'only those with the text in a name or an id; any case',
  },
  active: {
    flags: '--active [date]',
    meaning: 'only those that run on the day, YYYY-MM-DD',
    preset: 'today',
  },
});

const flags = [listFlags, serviceFlags, outputFlags] as const;

type CampaignsOptions = OptionsOf<typeof flags>;

export const campaignsCommand = declareCommand({
  name: 'campaigns',
  summary: 'list campaigns and their ad units',
  examples: [
    ['adreport campaigns --local', 'a table on a terminal, CSV in a pipe'],
    [
      'adreport campaigns --local --active --search puzzle',
      'running today, with “puzzle” in a name',
    ],
    ['adreport campaigns --local --ad-units --format json', 'one object an ad unit'],
  ],
  flags,
  async action({ context, options }) {
    await campaigns(context, options);
    return 0;
  },
});

/** A campaign, or with `--ad-units` an ad unit, as its columns show it. */
type ListRow = Readonly<Record<string, string | number>>;

/** Lists campaigns, or with `--ad-units` their ad units, in any format. */
async function campaigns(context: Context, options: CampaignsOptions): Promise<void> {
  const { search, active, adUnits } = options;
  const chosen = checkFormat(context, options);
  const format = options.format === undefined && context.flags.json ? 'json' : chosen;
  const csv = csvDialect(context, options);
  const columns = chooseColumns(options, format);
  const isActive =
    active === undefined ? () => true : activeDuring(active, context.host.wallClock());
  const target = await openTarget(context, options, {});

  const all = await (await context.client()).campaigns();
  const found = all.filter(
    (one) => isActive(one) && (search === undefined || matchesText(one, search)),
  );
  // A campaign without any ad unit has no row among theirs.
  const rows = found.flatMap(({ adunits, ...one }): ListRow[] => {
    const days = {
      start: one.campaignStartDate.slice(0, 10),
      end: one.campaignEndDate.slice(0, 10),
    };
    return adUnits
      ? adunits.map(({ adunitId, adunitName }) => ({ ...one, ...days, adunitId, adunitName }))
      : [{ ...one, ...days, adunits: adunits.length }];
  });
  const output = await target.open();
  try {
    if (format === 'table') {
      await output.write(Buffer.from(textTable(rows, columns, tableLook(context, options))));
    } else if (format === 'json' || format === 'ndjson') {
      // The service's own records, unless columns are chosen.
      const pick = (row: ListRow) =>
        Object.fromEntries(columns.map(({ name, value }) => [name, value(row)]));
      const lines = (options.columns || adUnits ? rows.map(pick) : found).map((row) =>
        JSON.stringify(row),
      );
      const array = lines.length === 0 ? '[]\n' : `[\n${lines.join(',\n')}\n]\n`;
      await output.write(
        Buffer.from(format === 'json' ? array : lines.map((line) => `${line}\n`).join('')),
      );
    } else {
      await output.write(
        await encodeTable(format, rows, columns, { csv, note: context.console.note }),
      );
    }
    await output.commit();
    if (rows.length === 0) context.console.note('No campaign was found.');
  } catch (error) {
    await output.abort();
    throw error;
  }
}

/** What `--columns` names, any case; else every field, or on a terminal names first, and days instead of seconds. */
function chooseColumns(
  { adUnits, columns }: CampaignsOptions,
  format: FormatName,
): TextColumn<ListRow>[] {
  const [own, count] = adUnits ? [['adunitId', 'adunitName'], []] : [[], ['adunits']];
  const campaign = ['campaignId', 'campaignName'];
  const dates = ['campaignStartDate', 'campaignEndDate'];
  const known = ['advertiserId', 'advertiserName', ...campaign, ...dates, ...own, ...count];
  const usual =
    format === 'table' ? [...campaign, ...own, 'advertiserName', 'start', 'end', ...count] : known;
  const chosen = (columns === 'all' ? known : columns)?.map((wanted) => {
    const found = known.find((name) => name.toLowerCase() === wanted.toLowerCase());
    if (found) return found;
    const hint = didYouMean(nearest(wanted, known), `Known are ${known.join(', ')}.`);
    throw new UsageError(`--columns: there is no column “${wanted}”.`, { hint });
  });
  return (chosen ?? usual).map((name) => ({
    name,
    value: (row) => row[name],
    // What people look for, a campaign and an ad unit, is the last to be given up where there is no room.
    keep: [...campaign, ...own].includes(name),
    type: dates.includes(name) ? 'wallTime' : name === 'adunits' ? 'integer' : 'text',
  }));
}

/** Whether a campaign, or one of its ad units, has the text in a name, accents and case apart, or is the one of that id. */
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

/** A test for the campaigns that run at some time of a period; their dates are Paris wall time (`decisions.md` 5). */
function activeDuring(period: string, nowMs: number): (campaign: CampaignRecord) => boolean {
  const { since, until } = resolveWindow({ period, zone: defaultZone, nowMs });
  const wall = (instant: number) =>
    formatInstant(instant, defaultZone).slice(0, 19).replace('T', ' ');
  // A date that is missing is no bound.
  return ({ campaignStartDate: start, campaignEndDate: end }) =>
    start <= wall(until) && (end === '' || end >= wall(since));
}
