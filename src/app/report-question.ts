import type { Context, ServiceAccount } from '../context.ts';
import { formats } from '../output/formats/index.ts';
import type { BookedFormat, Question } from '../report/question.ts';
import { chooseFormat, csvDialect } from './deliver.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import type { ProfilePlan } from './plan.ts';

type Streams = Pick<Context, 'console' | 'flags'>;

/** The flags that decide what a file holds, beside those of the request. */
interface DecidingFlags extends OutputFlags {
  readonly compare?: string | undefined;
  readonly campaign?: readonly string[] | undefined;
  readonly adUnit?: readonly string[] | undefined;
  readonly advertiser?: readonly string[] | undefined;
}

/** A report that is asked for. */
interface AskedReport {
  readonly account: ServiceAccount;
  readonly plan: ProfilePlan;
  readonly options: DecidingFlags;
}

/** Everything of a report that decides what its file holds, but its time; names stand as the user wrote them. */
export async function questionOfReport(
  context: Streams,
  { account, options, plan }: AskedReport,
): Promise<Question> {
  const settings = await account.settings();
  const { request, window } = plan;
  const { campaign, adUnit, advertiser } = options;

  const filters: Record<string, readonly string[]> = { ...request.filters };
  for (const [name, values] of Object.entries({ campaign, adUnit, advertiser })) {
    if (values && values.length > 0) filters[name] = values;
  }

  return {
    request: {
      profile: plan.profile,
      metrics: plan.shownMetrics,
      breakdowns: request.breakdowns,
      filters,
      account: await account.name(),
      // Every run has a local server of its own, at another port.
      baseUrl: account.isLocal ? 'local' : (settings.baseUrl.value?.href ?? ''),
      windowClock: plan.windowClock,
    },
    format: formatOfReport(context, options),
    timezone: window.zone,
  };
}

/** The format and those of its settings that change what a file holds. */
function formatOfReport(context: Streams, options: DecidingFlags): BookedFormat {
  const name = chooseFormat(context, options);
  const { columns, normalize, compare } = options;
  const format: Record<string, unknown> = {};
  if (compare !== undefined) format.compare = compare;
  if (columns !== undefined) format.columns = columns;
  if (normalize) format.normalize = true;
  if (formats[name].usesCsvDialect) {
    const { delimiter, decimal, bom, escapeFormulas, header } = csvDialect(context, options);
    if (delimiter !== ',') format.delimiter = delimiter;
    if (decimal !== undefined) format.decimal = decimal;
    if (bom) format.bom = true;
    if (escapeFormulas) format.escapeFormulas = true;
    if (header === false) format.header = false;
  }
  return { name, ...format };
}
