import { type Column, listColumns } from '../../contract/columns.ts';
import { breakdowns, type Profile } from '../../contract/vocabulary.ts';
import type { FolderQuery } from '../../folder/declaration.ts';
import { readRows } from '../../rows/read-rows.ts';
import { formatCount } from '../../text/quantity.ts';
import { buildComparison } from '../../totals/compared-report.ts';
import type { KeyColumn } from '../../totals/group-keys.ts';
import type { Group, Sums } from '../../totals/grouped-totals.ts';
import { moneyText } from '../../totals/numbers.ts';
import {
  inServiceOrder,
  isName,
  othersLabel,
  type RankedGroups,
  resolveKeys,
} from '../../totals/ranked-groups.ts';
import { metricDigits, type ReportMetric } from '../../totals/report-metrics.ts';
import type { View } from '../view.ts';
import {
  buildViewSummary,
  hasUnevenRows,
  listAnswerColumns,
  reportDocument,
  sentBreakdowns,
  sumRows,
  type ViewAnswer,
} from './answer.ts';
import { columnFigures, rankedGroupsOf } from './shown-figures.ts';

/** Returns the groups of a view as the report that the service would respond with. */
export function groupsAnswer(view: View): ViewAnswer {
  const { options, sources, collected } = view;
  const { by = [] } = options;
  const keys = keysOf(view);
  const figures = columnFigures(view);
  const isUneven = hasUnevenRows(view.groups);
  const columns = listAnswerColumns({ by, keys, figures, isUneven });
  const shown = shownGroups(view);
  const summary = buildViewSummary(sources.window, by);
  const profile = sources.query?.profile;
  const written = { columns, keys, figures, isUneven, profile };
  return {
    columns,
    breakdowns: by,
    selectedColumns: isUneven ? columns.map(({ field }) => field) : undefined,
    isUneven,
    leftOut: shown.others && leftOutSentence(shown.others.count),
    rows({ withOthers }) {
      const { groups, others } = shown;
      const pieces = jsonOfGroups(written, { groups, others: withOthers ? others : undefined });
      return readRows(reportDocument(pieces, summary));
    },
    async compare() {
      const { window, earlier } = sources;
      const before = collected.answers[1]?.groups;
      if (!window || !earlier || !before) return undefined;
      const keysBefore = before.by.length > 0 ? before.by : keys;
      const columnsBefore = listAnswerColumns({
        by: by.map((name) => (name.toUpperCase() === 'WEEKLY' ? 'DAILY' : name)),
        keys: keysBefore,
        figures,
        isUneven: false,
      });
      const groups = inServiceOrder(before);
      const pieces = jsonOfGroups(
        { ...written, columns: columnsBefore, keys: keysBefore },
        { groups, others: undefined },
      );
      return buildComparison(
        window,
        earlier,
        await sumRows(readRows(reportDocument(pieces, undefined))),
      );
    },
  };
}

function leftOutSentence(count: number): string {
  return count === 1 ? '1 group is left out.' : `${formatCount(count)} groups are left out.`;
}

/** Groups to show, in order, and the sum of those that `--top` leaves out. */
type ShownGroups = Pick<RankedGroups, 'others'> & { readonly groups: readonly Group[] };

/** Without `--sort` and `--top`, groups are in the order of the service. */
function shownGroups(view: View): ShownGroups {
  const { sort, top } = view.options;
  if (sort === undefined && top === undefined) {
    return { groups: inServiceOrder(view.groups), others: undefined };
  }
  const ranked = rankedGroupsOf(view);
  return { groups: ranked.top, others: ranked.others };
}

/** Also of files without columns, as far as their request is known. */
function keysOf({ collected, options, sources }: View): readonly KeyColumn[] {
  if (collected.keys) return collected.keys;
  const { query } = sources;
  const { by } = options;
  if (!by) return [];
  return resolveKeys(by, query ? fieldsOf(query) : everyField);
}

/** Columns that JSON without rows and request can have. */
const everyField = breakdowns.flatMap(({ fields }) => fields.map(({ name }) => name));

function fieldsOf({ profile, metrics, breakdowns: requested }: FolderQuery): readonly string[] {
  const sent = sentBreakdowns(requested) ?? [];
  const fields = listColumns(profile, { breakdowns: sent, metrics: [] }).map(({ field }) => field);
  return fields.includes('date') || metrics.length === 0 ? fields : ['date', ...fields];
}

interface WrittenGroups {
  readonly columns: readonly Column[];
  readonly keys: readonly KeyColumn[];
  readonly figures: readonly ReportMetric[];
  readonly isUneven: boolean;
  readonly profile: Profile | undefined;
}

function* jsonOfGroups(written: WrittenGroups, { groups, others }: ShownGroups): Generator<Buffer> {
  const { keys } = written;
  let text = '';
  let separator = '';
  for (const { key, sums } of groups) {
    text += separator + rowText(written, key, sums);
    separator = ',\n';
    if (text.length < 256 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (others) {
    const named = keys.find(({ field }) => isName(field)) ?? keys[0];
    const key = keys.map((column) => (column === named ? othersLabel(others.count) : null));
    text += separator + rowText(written, key, others.sums);
  }
  yield Buffer.from(text);
}

function rowText(
  { keys, columns, figures, profile, isUneven }: WrittenGroups,
  key: Group['key'],
  sums: Sums,
): string {
  const members: string[] = [];
  const member = (field: string, json: string): void => {
    members.push(`${JSON.stringify(field)}:${json}`);
  };
  for (const { field, breakdown, metric, type } of columns) {
    const index = keys.findIndex((column) => column.field === field);
    const keyText = key[index] ?? null;
    if (field === 'date' && breakdown === 'HOURLY') {
      const hour = key[keys.findIndex((column) => column.field === 'hour')] ?? null;
      member(field, JSON.stringify(keyText ?? hour?.slice(0, 10) ?? null));
      continue;
    }
    if (index >= 0) {
      member(field, JSON.stringify(keyText));
      continue;
    }

    const figure = figures.find((each) => each.field === field);
    const isComputed = figure?.derived !== undefined;
    if (isComputed && isUneven) member(field, metricDigits(figure, sums) ?? 'null');
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
