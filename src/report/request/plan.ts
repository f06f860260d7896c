import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import type { Window } from '../window/window.ts';
import { resolveWindow, type WindowFlags } from '../window/window-flags.ts';
import { type RequestFlags, readContent, requestFor } from './build-request.ts';
import { collectFaults, type Fault, usageError } from './fault.ts';

/** A report to ask for: the request as the service takes it, and its window in its zone. */
export interface ReportPlan {
  readonly request: ReportRequest;
  readonly window: Window;
}

/**
 * What the flags of `report create` and `run` ask for (`cli.md`). The zone is the report's: Europe/Paris for a buyer,
 * `--timezone` for a DSP. Throws one `UsageError` with every fault of the command, of request and window alike.
 */
export function planReport(flags: RequestFlags & Omit<WindowFlags, 'zone'>): ReportPlan {
  const faults: Fault[] = [];
  const content = readContent(flags, faults);
  const window = collectFaults(faults, () => resolveWindow({ ...flags, zone: content.timezone ?? defaultZone }));
  if (faults.length > 0 || !window) throw usageError(faults);
  return { request: requestFor(content, window), window };
}
