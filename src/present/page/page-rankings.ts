import { fieldLabel } from '../../contract/columns.ts';
import { pluralOf } from '../../text/quantity.ts';
import { figureValue } from '../../totals/figures.ts';
import { formatWithCurrency } from '../figure-text.ts';
import type { ReportModel } from '../report-model.ts';
import type { BreakdownRanking, RankedGroup } from '../report-ranking.ts';
import { changeHtml, htmlText, sentenceHtml } from './page-text.ts';

/**
 * Renders the largest values of each breakdown. The bars are SVG, because the security policy
 * forbids inline styles and printers may omit background graphics.
 */
export function renderRankings(rankings: readonly BreakdownRanking[]): string {
  const [first, second] = rankings;
  if (!first) return '';

  // A single chart is named in the section's heading.
  const isOnly = second === undefined;
  const charts = rankings.map((ranking) => {
    const heading = isOnly ? '' : `<h3>${htmlText(ranking.noun)}</h3>`;
    return `<section class="bars">${heading}${renderRanking(ranking)}</section>\n`;
  });
  const title = isOnly ? `Top ${pluralOf(first.noun)}` : 'Top values';
  return `<section class="ranking"><div class="head"><h2>${htmlText(title)}</h2><p class="by">by <b>${htmlText(fieldLabel(first.figure.field))}</b></p></div>
<div class="ranks${isOnly ? ' single' : ''}">
${charts.join('')}</div></section>
`;
}

/** Renders the heading for an earlier report, with what has ended since. */
export function renderEarlier({ rankings }: ReportModel, window: string): string {
  const sentences = rankings.map(({ endedSentence }) => {
    return endedSentence === undefined ? '' : `<p class="by">${sentenceHtml(endedSentence)}</p>\n`;
  });
  return `<section><h2>Before: ${htmlText(window)}</h2>\n${sentences.join('')}</section>\n`;
}

function renderRanking(ranking: BreakdownRanking): string {
  const { figure, hasTooManyValues, groups, topCount, others, endedSentence } = ranking;
  if (hasTooManyValues) return '<p class="by">Too many different values to rank.</p>';

  const top = groups.slice(0, topCount);
  const most = (top[0] && figureValue(figure, top[0].sums)) ?? 0;
  const items = top.map((group) => {
    const { name, shortName, detail } = group;
    const title = detail === '' ? name : `${name} (${detail})`;
    const detailHtml = detail === '' ? '' : `<small>${htmlText(detail)}</small>`;
    const label = `<span title="${htmlText(title)}"><i>${htmlText(shortName)}</i>${detailHtml}</span>`;

    const value = figureValue(figure, group.sums) ?? 0;
    const length = most > 0 ? Math.max(0, (100 * value) / most) : 0;
    const bar = `<svg aria-hidden="true"><rect width="${length.toFixed(1)}%" height="100%" rx="2"/></svg>`;
    return `<li>${label}${numbersOf(group, ranking)}${bar}`;
  });
  if (others) {
    items.push(`<li class="rest"><span>${others.name}</span>${numbersOf(others, ranking)}`);
  }

  const isCompared = top.some(({ change }) => change !== undefined);
  const endedLine =
    endedSentence === undefined ? '' : `<p class="by">${sentenceHtml(endedSentence)}</p>`;
  return `<ol${isCompared ? ' class="compared"' : ''}>${items.join('')}</ol>${endedLine}`;
}

/** Includes the share, and the change if there is a comparison. */
function numbersOf(
  { sums, share, change }: RankedGroup,
  { figure }: Pick<BreakdownRanking, 'figure'>,
): string {
  const shareText = share === undefined ? '–' : `${(100 * share).toFixed(1)}%`;
  const changeText = change ? `<small class="change">${changeHtml(change)}</small>` : '';
  return `<span class="n">${htmlText(formatWithCurrency(figure, sums))}</span><small>${shareText}</small>${changeText}`;
}
