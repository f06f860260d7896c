import { Decimal } from '../text/decimal.ts';

/** An exact quotient. */
export interface Fraction {
  readonly numerator: Decimal;

  /** Denominator, which is not 0. */
  readonly denominator: Decimal;
}

export interface Change {
  /** `new` if there was no earlier value, `none` if there is no current value. */
  readonly direction: 'up' | 'down' | 'same' | 'new' | 'none';

  /** Change for display: `▲ 12.3%`, `▼ 3.0%`, `= 0.0%`, `new`, `–`. */
  readonly text: string;

  /** Whether the change is neither good nor bad, as with money. */
  readonly isNeutral?: boolean;

  /** Change relative to the earlier value: 0.123 for 12.3%. Not set if it cannot be computed. */
  readonly ratio?: number;
}

const hundred = new Decimal(100n, 0);

/** Compares a value with the earlier value. `undefined` means no value. */
export function computeChange(now: Fraction | undefined, before: Fraction | undefined): Change {
  if (!now) return { direction: 'none', text: '–' };

  const wasEmpty = before === undefined || before.numerator.sign === 0;
  if (before && wasEmpty && now.numerator.sign === 0) return formatChange(0);
  if (wasEmpty) return { direction: 'new', text: 'new' };

  // A common denominator keeps the change exact until it is rounded.
  const valueNow = now.numerator.times(before.denominator);
  const valueBefore = before.numerator.times(now.denominator);
  const difference = valueNow.minus(valueBefore);
  const wasNegative = before.numerator.sign !== before.denominator.sign;
  const sign = wasNegative ? -1 : 1;

  const percent = sign * Number(difference.times(hundred).dividedBy(valueBefore, 1));
  const ratio = sign * Number(difference.dividedBy(valueBefore, 15));
  return { ...formatChange(percent), ratio };
}

/** @param percent rounded to one decimal */
function formatChange(percent: number): Change {
  const size = `${Math.abs(percent).toFixed(1)}%`;
  if (percent === 0) return { direction: 'same', text: `= ${size}`, ratio: 0 };
  if (percent > 0) return { direction: 'up', text: `▲ ${size}` };
  return { direction: 'down', text: `▼ ${size}` };
}
