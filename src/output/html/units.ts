import type { Breakdown } from '../../contract/vocabulary.ts';
import type { PlannedColumn } from '../columns.ts';
import { breakdownOf } from './labels.ts';

/** Columns that belong together: what one breakdown adds to a row (`campaignId` and `campaignName`), or time. */
export interface Unit {
  readonly fields: readonly string[];
  readonly isTime: boolean;
  /** Absent for time, and for a field that the vocabulary does not know. */
  readonly breakdown?: Breakdown;
}

/** The units of the columns that are no metrics, in column order. */
export function unitsOf(columns: readonly PlannedColumn[]): Unit[] {
  const fieldsOf = new Map<string, { fields: string[]; breakdown: Breakdown | undefined }>();
  for (const { field, numeric } of columns) {
    if (numeric) continue;
    const breakdown = breakdownOf(field);
    const key = breakdown ? (breakdown.time ? 'time' : breakdown.name) : `field ${field}`;
    const unit = fieldsOf.get(key) ?? { fields: [], breakdown };
    unit.fields.push(field);
    fieldsOf.set(key, unit);
  }
  return [...fieldsOf.values()].map(({ fields, breakdown }) =>
    breakdown?.time ? { fields, isTime: true } : { fields, isTime: false, ...(breakdown ? { breakdown } : {}) },
  );
}
