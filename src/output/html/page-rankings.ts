import { fieldLabel } from '../../contract/columns.ts';
import { formatCount, pluralOf } from '../../text/quantity.ts';
import { endedText } from '../../view/ended-groups.ts';
import { type Comparison, changeOf, type Figure, figureValue } from '../../view/figures.ts';
import { addSums, type Group, type Grouping, type Sums } from '../../view/grouping.ts';
import { byFigure } from '../../view/ranked-groups.ts';
import { nameOfGroup, nounOfUnit, type ReportSums, type Unit } from '../../view/report-sums.ts';
import { changeHtml, figureOnPage, htmlNumber, htmlText } from './page-text.ts';

/** How many values of a breakdown get a bar; the others are added up. */
const mostBars = 10;

/** What the greatest values are ranked by. */
interface Ranking {
  readonly figure: Figure;

  /** The sums of the whole report, of which each value has a share. */
  readonly totals: Sums;

  readonly comparison: Comparison | undefined;
}

/**
 * The greatest values of each breakdown by one figure. The bars are SVG, whose widths need no inline style (which the
 * page's security policy forbids) and which print without background graphics.
 */
export function renderRankings(
  { units, total }: ReportSums,
  figure: Figure | undefined,
  comparison: Comparison | undefined,
): string {
  const ranked = units.filter(({ isTime }) => !isTime);
  if (!figure || ranked.length === 0) return '';

  const ranking = { figure, totals: total.totals(), comparison };
  const [first, second] = ranked;
  // A single chart has its name in the heading above it.
  const only = first && !second ? first : undefined;
  const charts = ranked.map((unit) => {
    const heading = only ? '' : `<h3>${htmlText(nounOfUnit(unit))}</h3>`;
    return `<section class="bars">${heading}${renderRanking(unit, ranking)}</section>\n`;
  });
  const title = only ? `Top ${pluralOf(nounOfUnit(only))}` : 'Top values';
  return `<section><div class="head"><h2>${htmlText(title)}</h2><p class="by">by <b>${htmlText(fieldLabel(figure.field))}</b></p></div>
<div class="ranks${only ? ' single' : ''}">
${charts.join('')}</div></section>
`;
}

function renderRanking(unit: Unit, ranking: Ranking): string {
  const { groups, fields } = unit;
  if (!groups) return '<p class="by">Too many different values to rank.</p>';

  const { figure, comparison } = ranking;
  const ranked = [...groups].filter(({ sums }) => sums.get(figure.field) !== undefined);
  ranked.sort(byFigure(figure));
  // "1 other" would take as much room as that one itself.
  const barCount = ranked.length > mostBars + 1 ? mostBars : ranked.length;
  const top = ranked.slice(0, barCount);
  const rest = ranked.slice(barCount);

  const most = (top[0] && figureValue(figure, top[0].sums)) ?? 0;
  const items = top.map((group) => {
    const { name, detail } = nameOfGroup(fields, group);
    const title = detail === '' ? name : `${name} (${detail})`;
    const detailHtml = detail === '' ? '' : `<small>${htmlText(detail)}</small>`;
    const label = `<span title="${htmlText(title)}"><i>${htmlText(name)}</i>${detailHtml}</span>`;

    const before = comparison?.sums.find(unit, group);
    const value = figureValue(figure, group.sums) ?? 0;
    const length = most > 0 ? Math.max(0, (100 * value) / most) : 0;
    const bar = `<svg aria-hidden="true"><rect width="${length.toFixed(1)}%" height="100%" rx="2"/></svg>`;
    return `<li>${label}${numbersOf(group.sums, before, ranking)}${bar}`;
  });

  if (rest.length > 0) {
    const label = `<span>${formatCount(rest.length)} others</span>`;
    const before = comparison && sumsBefore(rest, comparison.sums.groupsOf(unit));
    const sums = addSums(rest, groups.metrics);
    items.push(`<li class="rest">${label}${numbersOf(sums, before, ranking)}`);
  }
  const ended = comparison && endedText(unit, comparison, figure, figureOnPage);
  const endedLine = ended === undefined ? '' : `<p class="by">${htmlText(ended)}</p>`;
  return `<ol${comparison ? ' class="compared"' : ''}>${items.join('')}</ol>${endedLine}`;
}

/** The figure of some sums, its share of the whole and, where reports are compared, its change. */
function numbersOf(sums: Sums, before: Sums | undefined, ranking: Ranking): string {
  const { figure, totals, comparison } = ranking;
  const value = figureValue(figure, sums) ?? 0;
  const whole = figureValue(figure, totals) ?? 0;
  const share = whole > 0 && value >= 0 ? `${((100 * value) / whole).toFixed(1)} %` : '–';
  const change = comparison
    ? `<small class="change">${changeHtml(changeOf(figure, sums, before))}</small>`
    : '';
  return `<span class="n">${htmlNumber(figureOnPage(figure, sums))}</span><small>${htmlNumber(share)}</small>${change}`;
}

/** What some groups came to in an earlier report; `undefined` where it has none of them. */
function sumsBefore(groups: readonly Group[], earlier: Grouping | undefined): Sums | undefined {
  const existing: Group[] = [];
  for (const { key } of groups) {
    const before = earlier?.find(key);
    if (before) existing.push(before);
  }
  return earlier && existing.length > 0 ? addSums(existing, earlier.metrics) : undefined;
}
