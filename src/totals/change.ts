import { Decimal } from '../text/decimal.ts';

/** Exact quotient. */
export interface Fraction {
  readonly numerator: Decimal;

  /** Not 0. */
  readonly denominator: Decimal;
}

export interface Change {
  /**
   * `new` if there was no earlier value, `ended` if the group no longer exists, `none` if there is
   * no value now.
   */
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'ended' | 'none';

  /** For display: `▲ 12.3%`, `▼ 3.0%`, `= 0.0%`, `new`, `ended`, `–`. */
  readonly text: string;

  /** For money, of which more is neither better nor worse. */
  readonly isNeutral?: boolean;

  /** Fraction of the earlier value (0.123 for 12.3%); absent if it cannot be computed. */
  readonly ratio?: number;
}

export interface ChangeOptions {
  /** Set if the group no longer exists; only then can its metric be `ended`. */
  readonly isGone?: boolean;

  /** Default: true. Otherwise the arrows are ASCII. */
  readonly unicode?: boolean;
}

const hundred = new Decimal(100n, 0);

/** Compares a metric with its earlier value; `undefined` means no value. */
export function changeBetween(
  now: Fraction | undefined,
  before: Fraction | undefined,
  { isGone = false, unicode = true }: ChangeOptions = {},
): Change {
  const wasEmpty = before === undefined || before.numerator.sign === 0;
  if (!now) {
    const hasEnded = isGone && !wasEmpty;
    return hasEnded ? { direction: 'ended', text: 'ended' } : { direction: 'none', text: '–' };
  }
  if (before && wasEmpty && now.numerator.sign === 0) return percentChange(0, '0.0', unicode);
  if (wasEmpty) return { direction: 'new', text: 'new' };

  // Over a common denominator the change stays exact until it is rounded.
  const valueNow = now.numerator.times(before.denominator);
  const valueBefore = before.numerator.times(now.denominator);
  const share = valueNow.minus(valueBefore);
  const percent = share.times(hundred).dividedBy(valueBefore, 1);
  const wasNegative = before.numerator.sign !== before.denominator.sign;
  const sign = wasNegative ? -percent.sign : percent.sign;

  const ratio = Number(share.dividedBy(valueBefore, 15)) * (wasNegative ? -1 : 1);
  const size = String(percent).replace(/^-/, '');
  const amount = size.includes('.') ? size : `${size}.0`;
  return { ...percentChange(sign, amount, unicode), ratio };
}

/**
 * @param sign sign of the rounded change
 * @param amount absolute percentage with one decimal
 */
function percentChange(sign: number, amount: string, unicode: boolean): Change {
  const percent = `${amount}%`;
  if (sign === 0) return { direction: 'same', text: `= ${percent}`, ratio: 0 };
  if (sign > 0) return { direction: 'up', text: `${unicode ? '▲' : '+'} ${percent}` };
  return { direction: 'down', text: `${unicode ? '▼' : '-'} ${percent}` };
}
