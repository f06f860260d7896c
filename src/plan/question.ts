import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { ServiceAccount } from '../account/account.ts';
import { isUnnamed } from '../account/sign-in.ts';
import type { OrderLine } from '../archive/forms.ts';
import type { Context } from '../context.ts';
import { chooseFormat, csvDialect } from '../deliver/deliver.ts';
import { UsageError } from '../errors.ts';
import { formats } from '../formats/index.ts';
import type { BookedFormat, BookedRequest, Question } from '../report/question.ts';
import { type Flag, isSwitch, readValue } from './flags/flag.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import { type RunFlags, runFlags } from './flags/run-flags.ts';
import type { ProfilePlan } from './plan.ts';

/** The flags that decide what a file holds, beside those of the request. */
interface DecidingFlags extends OutputFlags {
  readonly compare?: string | undefined;
  readonly campaign?: readonly string[] | undefined;
  readonly adUnit?: readonly string[] | undefined;
  readonly advertiser?: readonly string[] | undefined;
}

type AskingContext = Pick<Context, 'console' | 'host' | 'flags'>;

/** A report that is asked for. */
interface AskedReport {
  readonly account: ServiceAccount;
  readonly plan: ProfilePlan;
  readonly options: DecidingFlags;
}

/** Everything of a report but its time; names stand as the user wrote them. */
export async function questionOfReport(
  context: AskingContext,
  { account, options, plan }: AskedReport,
): Promise<Question> {
  const { account: accountName, service } = await askerOf(account);
  return {
    request: requestOfPlan(plan, options),
    format: formatOfReport(context, options),
    timezone: plan.window.zone,
    account: accountName,
    service,
    windowClock: plan.windowClock,
  };
}

function requestOfPlan(
  { profile, request, shownMetrics, isWeekly }: ProfilePlan,
  { campaign, adUnit, advertiser, columns }: DecidingFlags,
): BookedRequest {
  const filters: Record<string, readonly string[]> = { ...request.filters };
  for (const [name, values] of Object.entries({ campaign, adUnit, advertiser })) {
    if (values && values.length > 0) filters[name] = values;
  }
  const breakdowns = request.breakdowns.map((name) => {
    return isWeekly && name === 'RANGE' ? 'WEEKLY' : name;
  });
  return { profile, metrics: shownMetrics, breakdowns, filters, columns: columns ?? null };
}

/** Who asks, and whom, as the books keep it. */
export async function askerOf(
  account: ServiceAccount,
): Promise<Pick<Question, 'account' | 'service'>> {
  const settings = await account.settings();
  const { hostname = '', href = '' } = settings.baseUrl.value ?? {};
  // A server of this machine may have another port each time.
  const isOfMachine = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
  const service = account.isLocal || isOfMachine ? 'local' : href;
  const name = isUnnamed(settings) ? (settings.email.value ?? null) : settings.account.value;
  return { account: name, service };
}

/** The format and those flags that shape the file. */
function formatOfReport(context: AskingContext, options: DecidingFlags): BookedFormat {
  const name = chooseFormat(context, options);
  const { normalize, compare, title, note, logo } = options;
  const format: Record<string, string | boolean> = {};
  if (compare !== undefined) format.compare = compare;
  if (normalize) format.normalize = true;
  if (title !== undefined) format.title = title;
  if (note !== undefined) format.note = note;
  if (logo !== undefined) format.logo = resolve(context.host.cwd, logo);
  if (formats[name].usesCsvDialect) {
    const { delimiter, decimal, bom, escapeFormulas, header } = csvDialect(context, options);
    if (delimiter !== undefined && delimiter !== ',') format.delimiter = delimiter;
    if (decimal !== undefined) format.decimal = decimal;
    if (bom) format.bom = true;
    if (escapeFormulas) format.escapeFormulas = true;
    if (header === false) format.header = false;
  }
  return { name, ...format };
}

/** The flags that say what is asked for, and in what form. */
type AskingFlags = Partial<RunFlags> & Pick<RunFlags, 'header'>;

/**
 * The flags of `run` that ask the question of an order again. Throws `UsageError` for what no flag
 * takes.
 */
export function optionsOfOrder({ request, format, timezone, split }: OrderLine): AskingFlags {
  const { profile, metrics, breakdowns, columns } = request;
  const { campaign, adUnit, advertiser, ...filters } = request.filters;
  const typedFilters = Object.entries(filters).map(([name, values]) => {
    return `${name}=${values.map(quoted).join(',')}`;
  });

  return {
    ...readSettings(format),
    header: format.header !== false,
    profile,
    metrics: metrics.join(','),
    ...(breakdowns.length > 0 && { by: breakdowns.join(',') }),
    filter: typedFilters,
    ...(campaign && { campaign }),
    ...(adUnit && { adUnit }),
    ...(advertiser && { advertiser }),
    ...(profile === 'dsp' && { timezone }),
    ...(columns !== null && { columns }),
    ...(split !== null && { split }),
  };
}

/** A value of a filter as `--filter` takes it. */
function quoted(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}

/** The flags that shape a file, by the names of their options, as the books have them. */
const shapingOptions = [
  'compare',
  'normalize',
  'title',
  'note',
  'logo',
  'delimiter',
  'decimal',
  'bom',
  'escapeFormulas',
] as const;

/** Throws `UsageError` for a value that its flag would not take. */
function readSettings(format: OrderLine['format']): Partial<RunFlags> {
  const settings: Record<string, unknown> = {};
  const { name } = format;
  for (const option of ['format', ...shapingOptions]) {
    const value = option === 'format' ? name : format[option];
    if (value === undefined) continue;

    const flag = flagOf(option);
    try {
      settings[option] = isSwitch(flag) ? value === true : readValue(flag, String(value));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new UsageError(`Its books say ${option}: ${String(value)}. ${error.message}`);
    }
  }
  return settings;
}

function flagOf(option: string): Flag {
  for (const group of runFlags) {
    const flag = Object.entries<Flag>(group.flags).find(([name]) => name === option)?.[1];
    if (flag) return flag;
  }
  throw new Error(`There is no option ${option}.`);
}
