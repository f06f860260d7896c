import { fieldLabel } from '../../contract/columns.ts';
import type { Change } from '../../figures/change.ts';
import { type Comparison, changeOf, type Figure } from '../../figures/figures.ts';
import type { Sums } from '../../figures/grouping.ts';
import type { ReportSums } from '../../figures/report-sums.ts';
import { formatCount, pluralOf } from '../../text/quantity.ts';
import { figureWithCurrency } from '../figure-text.ts';
import type { ReportModel } from '../report-model.ts';
import type { RankedGroup } from '../report-ranking.ts';
import { changeHtml, htmlText } from './page-text.ts';

/** What the sums of all groups come to, now and before. */
interface WholeSums {
  readonly sums: ReportSums;
  readonly comparison: Comparison | undefined;
}

/** A table of more lines may be parted between two sheets of paper. */
const mostOnOneSheet = 25;

/**
 * The values of the first breakdown as a table with their figures, where the rows of the report are
 * not that already: campaigns of a report by day and campaign. Empty where there is no such
 * breakdown.
 */
export function renderGroupTable(
  { rankings, figures }: ReportModel,
  { sums, comparison }: WholeSums,
): string {
  const [ranking] = rankings;
  if (!ranking || sums.units.length < 2 || ranking.groups.length === 0) return '';

  const { noun, groups, tableCount, othersOfTable } = ranking;
  const lines = groups.slice(0, tableCount).map((group) => renderLine(group, figures.shown));
  if (othersOfTable) lines.push(renderLine(othersOfTable, figures.shown));

  const totals = sums.total.totals();
  const before = comparison?.sums.total.totals();
  const change = before && figures.lead && changeOf(figures.lead, totals, before);
  const cells = cellsOf(totals, figures.shown, change).join('');
  const heads = figures.shown.map(
    ({ field }) => `<th scope="col" class="n">${htmlText(fieldLabel(field))}`,
  );
  if (comparison) heads.splice(1, 0, '<th scope="col" class="n">Change');

  const plural = pluralOf(noun);
  const title = othersOfTable ? `The first ${formatCount(tableCount)} ${plural}` : `All ${plural}`;
  // A table of few lines stands on one sheet of paper.
  const section = lines.length > mostOnOneSheet ? 'groups' : 'groups short';
  return `<section class="${section}"><div class="head"><h2>${htmlText(title)}</h2></div>
<div class="scroll" tabindex="0" role="region" aria-label="Table of ${htmlText(plural)}"><table>
<thead><tr><th scope="col" class="first">${htmlText(capitalized(noun))}${heads.join('')}</thead>
<tbody>${lines.join('\n')}</tbody>
<tfoot><tr><td class="first">Total${cells}</tfoot>
</table></div></section>
`;
}

function renderLine({ name, sums, change }: RankedGroup, figures: readonly Figure[]): string {
  return `<tr><td class="first">${htmlText(name)}${cellsOf(sums, figures, change).join('')}`;
}

/** The figures of some sums, and behind the first of them its change. */
function cellsOf(sums: Sums, figures: readonly Figure[], change: Change | undefined): string[] {
  const cells = figures.map(
    (figure) => `<td class="n">${htmlText(figureWithCurrency(figure, sums))}`,
  );
  if (change) cells.splice(1, 0, `<td class="n">${changeHtml(change)}`);
  return cells;
}

function capitalized(text: string): string {
  return text.replace(/^./, (letter) => letter.toUpperCase());
}
