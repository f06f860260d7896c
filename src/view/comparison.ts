import type { ReportSums } from './report-sums.ts';

/** A second report, of an earlier window, to hold the figures of this one against. */
export interface Comparison {
  /** The sums of the earlier report. */
  readonly sums: ReportSums;
  /** Both windows for people: `1–31 October 2026`. */
  readonly now: string;
  readonly before: string;
  /** What makes the two windows unequal: a leap day, a day of 25 hours. */
  readonly notices: readonly string[];
}

/** How a figure has changed, as people read it: `▲ 12.3 %`, `▼ 3.0 %`, `new` where there was none before. */
export function changeText(now: number | undefined, before: number | undefined, unicode = true): string {
  if (now === undefined || before === undefined) return now === undefined ? '–' : 'new';
  if (before === 0) return now === 0 ? '= 0.0 %' : 'new';
  const percent = (100 * (now - before)) / Math.abs(before);
  const text = `${Math.abs(percent).toFixed(1)} %`;
  if (text === '0.0 %') return `= ${text}`;
  const [up, down] = unicode ? ['▲', '▼'] : ['+', '-'];
  return `${percent > 0 ? up : down} ${text}`;
}
