import type { ReportSummary } from '../contract/messages.ts';

/** The `summary` member of a report, or `undefined` where it does not have the shape of the specification. */
export function summaryOf(json: Buffer | undefined): ReportSummary | undefined {
  const value: unknown = json === undefined ? undefined : JSON.parse(json.toString());
  return isSummary(value) ? value : undefined;
}

function isSummary(value: unknown): value is ReportSummary {
  return (
    typeof value === 'object' &&
    value !== null &&
    'since' in value &&
    typeof value.since === 'string' &&
    'until' in value &&
    typeof value.until === 'string' &&
    'timezone' in value &&
    typeof value.timezone === 'string' &&
    'breakdowns' in value &&
    Array.isArray(value.breakdowns) &&
    value.breakdowns.every((breakdown) => typeof breakdown === 'string')
  );
}
