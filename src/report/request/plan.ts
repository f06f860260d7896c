import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import { collectMistakes, type Mistake, usageError } from '../mistakes.ts';
import type { Window } from '../window/window.ts';
import { resolveWindow, type WindowFlags } from '../window/window-flags.ts';
import { type RequestFlags, readContent, requestFor } from './request-content.ts';

/** A report to ask for: the request as the service takes it, and its window in its zone. */
export interface ReportPlan {
  readonly request: ReportRequest;
  readonly window: Window;
}

/**
 * What the flags of `report create` and `run` ask for (`cli.md`). The zone is the report's: Europe/Paris for a buyer,
 * `--timezone` for a DSP. Throws one `UsageError` with every mistake of the command, of request and window alike.
 */
export function planReport(flags: RequestFlags & Omit<WindowFlags, 'zone'>): ReportPlan {
  const mistakes: Mistake[] = [];
  const content = readContent(flags, mistakes);
  const window = collectMistakes(mistakes, () => resolveWindow({ ...flags, zone: content.timezone ?? defaultZone }));
  if (mistakes.length > 0 || !window) throw usageError(mistakes);
  return { request: requestFor(content, window), window };
}
