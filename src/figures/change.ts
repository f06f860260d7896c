import { Decimal } from '../text/decimal.ts';

/** A figure as two exact numbers, of which it is the quotient. */
export interface Fraction {
  readonly over: Decimal;

  /** Not 0. */
  readonly under: Decimal;
}

/** How a figure has changed against an earlier one. */
export interface Change {
  /**
   * `new` where there was none before, `ended` where its group is gone, `none` where there is none
   * now.
   */
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'ended' | 'none';

  /** As people read it: `▲ 12.3%`, `▼ 3.0%`, `= 0.0%`, `new`, `ended`, `–`. */
  readonly text: string;

  /** As a part of the earlier figure, 0.123 of 12.3%; absent where there is no number for it. */
  readonly ratio?: number;
}

/** How a change is worded. */
export interface ChangeOptions {
  /** Whether what the figure is of is gone; only then it has ended. */
  readonly isGone?: boolean;

  /** Default: true. Otherwise the arrow is ASCII. */
  readonly unicode?: boolean;
}

const hundred = new Decimal(100n, 0);

/** How a figure has changed; `undefined` is a figure without a value. */
export function changeBetween(
  now: Fraction | undefined,
  before: Fraction | undefined,
  { isGone = false, unicode = true }: ChangeOptions = {},
): Change {
  const wasNothing = before === undefined || before.over.sign === 0;
  if (!now) {
    const isEnded = isGone && !wasNothing;
    return isEnded ? { direction: 'ended', text: 'ended' } : { direction: 'none', text: '–' };
  }
  if (before && wasNothing && now.over.sign === 0) return percentChange(0, '0.0', unicode);
  if (wasNothing) return { direction: 'new', text: 'new' };

  // Both over one denominator: the change is exact until it is rounded.
  const valueNow = now.over.times(before.under);
  const valueBefore = before.over.times(now.under);
  const share = valueNow.minus(valueBefore);
  const percent = share.times(hundred).dividedBy(valueBefore, 1);
  const isOfNegative = before.over.sign !== before.under.sign;
  const sign = isOfNegative ? -percent.sign : percent.sign;

  const ratio = Number(share.dividedBy(valueBefore, 15)) * (isOfNegative ? -1 : 1);
  const size = String(percent).replace(/^-/, '');
  const amount = size.includes('.') ? size : `${size}.0`;
  return { ...percentChange(sign, amount, unicode), ratio };
}

/**
 * @param sign of the change as it is rounded @param amount its percent without the sign, with one
 * decimal
 */
function percentChange(sign: number, amount: string, unicode: boolean): Change {
  const percent = `${amount}%`;
  if (sign === 0) return { direction: 'same', text: `= ${percent}`, ratio: 0 };
  if (sign > 0) return { direction: 'up', text: `${unicode ? '▲' : '+'} ${percent}` };
  return { direction: 'down', text: `${unicode ? '▼' : '-'} ${percent}` };
}
