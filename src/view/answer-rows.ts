import type { Profile } from '../contract/vocabulary.ts';
import { figureDigits } from '../figures/figures.ts';
import type { Group } from '../figures/grouping.ts';
import { moneyText } from '../figures/numbers.ts';
import { isName } from '../figures/ranked-groups.ts';
import { ReportSums } from '../figures/report-sums.ts';
import { ColumnPlan } from '../output/column-plan.ts';
import { readRows } from '../rows/read-rows.ts';
import type { RowBatches } from '../rows/row-batch.ts';
import { formatCount } from '../text/quantity.ts';
import type { ViewAnswer } from './answer.ts';

/** The rows of an answer, with one for the groups beyond `--top` if `withOthers` is true. */
export function rowsOfAnswer(answer: ViewAnswer, withOthers: boolean): RowBatches {
  return readRows(bodyOf(answer, withOthers));
}

async function* bodyOf(answer: ViewAnswer, withOthers: boolean): AsyncGenerator<Buffer> {
  const { groups, others, summary, by } = answer;
  let text = '{"data":[';
  let separator = '';
  for (const { key, sums } of groups) {
    text += separator + rowText(answer, key, sums);
    separator = ',\n';
    if (text.length < 256 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (others && withOthers) {
    const named = by.find(({ field }) => isName(field)) ?? by[0];
    const label = others.count === 1 ? '1 other' : `${formatCount(others.count)} others`;
    const key = by.map((each) => (each === named ? label : null));
    text += separator + rowText(answer, key, others.sums);
  }
  text += ']';
  if (summary) text += `,"summary":${JSON.stringify(summary)}`;
  yield Buffer.from(`${text}}`);
}

function rowText(
  { by, columns, figures, profile, isUneven }: ViewAnswer,
  key: Group['key'],
  sums: Group['sums'] | NonNullable<ViewAnswer['others']>['sums'],
): string {
  const members: string[] = [];
  const member = (field: string, json: string): void => {
    members.push(`${JSON.stringify(field)}:${json}`);
  };
  for (const { field, breakdown, metric, type } of columns) {
    const index = by.findIndex((each) => each.field === field);
    if (index >= 0) {
      member(field, JSON.stringify(key[index] ?? null));
      continue;
    }
    if (field === 'date' && breakdown === 'HOURLY') {
      const hour = key[by.findIndex((each) => each.field === 'hour')] ?? null;
      member(field, JSON.stringify(hour?.slice(0, 10) ?? null));
      continue;
    }

    const figure = figures.find((each) => each.field === field);
    const isComputed = figure?.derived !== undefined;
    if (isComputed && isUneven) member(field, figureDigits(figure, sums) ?? 'null');
    if (isComputed || metric === undefined) continue;
    const sum = sums.get(field);
    const digits = sum === undefined ? undefined : String(sum);
    member(field, digits === undefined ? 'null' : numberJson(digits, type, profile));
  }
  return `{${members.join(',')}}`;
}

/** A DSP report has money as text with two decimals and a comma. */
function numberJson(digits: string, type: string, profile: Profile | undefined): string {
  if (type !== 'money' || profile !== 'dsp') return digits;
  return JSON.stringify(moneyText(digits).replace('.', ','));
}

/** The sums of the earlier groups, for comparison. */
export async function sumsOfAnswer(answer: ViewAnswer): Promise<ReportSums> {
  const sums = new ReportSums({ keepsRows: true });
  const columns = new ColumnPlan({});
  const batches = rowsOfAnswer(answer, true);
  for await (const batch of batches) {
    if (columns.columns.length === 0) columns.follow(batch);
    sums.observe(batch, columns.columns);
  }
  return sums;
}
