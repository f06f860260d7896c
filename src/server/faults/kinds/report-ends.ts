import type { ReportEnd } from '../../service/reports.ts';
import type { FaultKind } from '../fault-kind.ts';

/** Faults that let a report end otherwise than as `ready`; their `times` counts reports. */
function ending(end: ReportEnd, meaning: string): FaultKind {
  return { meaning, reach: ['status'], read: () => ({ end }) };
}

export const failed = ending('failed', 'the report ends as failed');
export const expired = ending('expired', 'the report ends as expired');
export const stuck = ending('progress', 'the report stays in progress for ever');
