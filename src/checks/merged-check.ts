import type { CheckMessage, CheckResult } from '../errors.ts';

export interface LabelledResult {
  readonly label: string;
  readonly result: CheckResult;
}

/** Returns all warnings and notes, each with the label of its part. */
export function mergeResults(parts: readonly LabelledResult[]): CheckResult {
  const warnings: CheckMessage[] = [];
  const notes: CheckMessage[] = [];
  for (const { label, result } of parts) {
    warnings.push(...result.warnings.map((warning) => addLabel(label, warning)));
    notes.push(...result.notes.map((note) => addLabel(label, note)));
  }
  return { warnings, notes };
}

/** Prefixes both messages of a warning or note with a label. */
export function addLabel(label: string, warning: CheckMessage): CheckMessage {
  const { message, forReaders } = warning;
  return {
    ...warning,
    message: `${label}: ${message}`,
    ...(forReaders && { forReaders: `${label}: ${forReaders}` }),
  };
}
