import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import { nearest } from '../../contract/nearest.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  findBreakdown,
  type Metric,
  type MetricName,
  metrics,
  type Profile,
  vocabularyOf,
} from '../../contract/vocabulary.ts';
import type { Window } from '../window/window.ts';
import { checkZoneName } from '../window/zone-name.ts';
import { collectFaults, type Fault, shown, usageError } from './fault.ts';
import { readFilters } from './request-filters.ts';

/** The flags that say what a report holds, as the user wrote them. */
export interface RequestFlags {
  readonly profile: Profile;
  /** Comma list; all of the profile's where absent. */
  readonly metrics?: string | undefined;
  /** Comma list, in any case. */
  readonly by?: string | undefined;
  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;
  readonly timezone?: string | undefined;
  readonly direct?: boolean | undefined;
}

/** A request but for its window. */
export type RequestContent = Omit<ReportRequest, 'since' | 'until'>;

/** The request for a window that is known. Throws one `UsageError` with every fault of the flags. */
export function buildRequest(flags: RequestFlags & { readonly window: Window }): ReportRequest {
  const faults: Fault[] = [];
  const content = readContent(flags, faults);
  if (faults.length > 0) throw usageError(faults);
  return requestFor(content, flags.window);
}

/** The request for a window, or for a part of one. */
export function requestFor(content: RequestContent, window: Pick<Window, 'since' | 'until'>): ReportRequest {
  return { ...content, since: window.since, until: window.until };
}

/** What the flags ask for, whatever the window; what is wrong with them is added to `faults`. */
export function readContent(flags: RequestFlags, faults: Fault[]): RequestContent {
  const content = {
    metrics: readMetrics(flags, faults),
    breakdowns: readBreakdowns(flags, faults),
    filters: readFilters(flags.filters ?? [], flags.profile, faults),
  };
  const timezone = readTimezone(flags, faults);
  return {
    ...content,
    ...(timezone === undefined ? {} : { timezone }),
    ...(flags.direct ? { output: 'direct' } : {}),
  };
}

function readMetrics({ profile, metrics: list }: RequestFlags, faults: Fault[]): MetricName[] {
  const known = vocabularyOf(profile).metrics;
  if (list === undefined) return known.map(({ name }) => name);
  const names = splitList(list);
  if (names.length === 0) faults.push({ message: '--metrics names no metric.', hint: 'Leave it out for all of them.' });
  const found = names.map((name) => {
    const metric = (metrics as readonly Metric[]).find((candidate) => isSame(candidate.name, name));
    if (metric?.profiles.includes(profile)) return metric.name;
    const rowFieldOf = known.find(({ rowField }) => isSame(rowField?.[profile] ?? '', name));
    faults.push(unknownName('metric', name, { profile, known, owner: metric, meant: rowFieldOf }));
    return undefined;
  });
  return distinct(found);
}

function readBreakdowns({ profile, by }: RequestFlags, faults: Fault[]): BreakdownName[] {
  const known = vocabularyOf(profile).breakdowns;
  const found = splitList(by ?? '').map((name) => {
    const breakdown = findBreakdown(name);
    if (breakdown?.profiles.includes(profile)) return breakdown.name;
    const rowFieldOf = known.find(({ fields }) => fields.some((field) => isSame(field.name, name)));
    faults.push(unknownName('breakdown', name, { profile, known, owner: breakdown, meant: rowFieldOf }));
    return undefined;
  });
  const names = distinct(found);
  const isTime = (name: string): boolean => findBreakdown(name)?.time === true;
  const times = names.filter(isTime);
  if (times.length > 1) {
    const all = (breakdowns as readonly Breakdown[]).map(({ name }) => name).filter(isTime);
    faults.push({
      message: `${times.join(' and ')} exclude each other.`,
      hint: `Use at most one of ${all.join(', ')}.`,
    });
  }
  return names;
}

interface Named {
  readonly name: string;
  readonly profiles: readonly Profile[];
}

interface Search {
  readonly profile: Profile;
  readonly known: readonly Named[];
  /** The entry of that name, where another profile has it. */
  readonly owner: Named | undefined;
  /** The entry that has a row field of that name. */
  readonly meant: Named | undefined;
}

function unknownName(kind: 'metric' | 'breakdown', name: string, { profile, known, owner, meant }: Search): Fault {
  const names = known.map((entry) => entry.name);
  const all = `The ${profile} ${kind}s are ${names.join(', ')}.`;
  if (owner) {
    return { message: `The ${kind} ${owner.name} is in ${owner.profiles.join(' and ')} reports only.`, hint: all };
  }
  const suggestion = meant?.name ?? nearest(name, names);
  return {
    message: `There is no ${kind} ${shown(name)}.`,
    hint: suggestion === undefined ? all : `Did you mean ${suggestion}?`,
  };
}

/** The zone that the request states: a DSP's always, so that the service reckons in the zone the window was found in. */
function readTimezone({ profile, timezone }: RequestFlags, faults: Fault[]): string | undefined {
  if (profile === 'dsp') {
    return collectFaults(faults, () => checkZoneName({ flag: '--timezone', text: timezone ?? defaultZone }));
  }
  if (timezone !== undefined) {
    faults.push({
      message: `--timezone is for DSP reports: a buyer report is always in ${defaultZone}.`,
      hint: 'Leave --timezone out.',
    });
  }
  return undefined;
}

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function isSame(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}

/** The names that were found, each once, in the order of their first mention. */
function distinct<T>(names: readonly (T | undefined)[]): T[] {
  return [...new Set(names)].filter((name) => name !== undefined);
}
