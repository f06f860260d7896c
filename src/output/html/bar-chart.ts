import { escapeHtml } from '../../text/escape-html.ts';

/** One value of a breakdown with its sum of one metric. Texts are as they are shown, not yet escaped. */
export interface Bar {
  readonly name: string;
  /** What tells it from others of that name, such as its id. */
  readonly detail: string;
  readonly value: number;
  /** The sum as it is shown. */
  readonly text: string;
}

/** A breakdown's values by their sums of one metric. */
export interface Ranking {
  /** The greatest first. */
  readonly bars: readonly Bar[];
  /** The sum of those that are not among the bars, as it is shown, and how many they are. */
  readonly rest: { readonly count: number; readonly value: number; readonly text: string };
  /** The sum of all. */
  readonly total: number;
}

/**
 * A breakdown's greatest values by one metric. The bars are SVG, whose widths need no inline style (which the page's
 * security policy forbids) and which print without background graphics.
 * @param metric its index among those that the page's script can rank by
 */
export function drawBars({ bars, rest, total }: Ranking, metric: number, isShown: boolean): string {
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const items = bars.map(({ name, detail, value, text }) => {
    const small = detail === '' ? '' : `<small>${escapeHtml(detail)}</small>`;
    const width = most > 0 ? Math.max(0, Math.round((10_000 * value) / most) / 100) : 0;
    const title = escapeHtml(detail === '' ? name : `${name} (${detail})`);
    return `<li><span title="${title}"><i>${escapeHtml(name)}</i>${small}</span>${figures(text, share(value, total))}<svg aria-hidden="true"><rect width="${width}%" height="100%" rx="2"/></svg>`;
  });
  const last =
    rest.count > 0
      ? `<li class="rest"><span>${rest.count} others</span>${figures(rest.text, share(rest.value, total))}`
      : '';
  return `<ol data-metric="${metric}"${isShown ? '' : ' hidden'}>${items.join('')}${last}</ol>`;
}

function figures(text: string, part: string): string {
  return `<span class="n">${escapeHtml(text)}<small>${part}</small></span>`;
}

function share(value: number, total: number): string {
  return total > 0 && value >= 0 ? `${((100 * value) / total).toFixed(1)}%` : '–';
}
