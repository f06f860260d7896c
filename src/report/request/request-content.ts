import { findBreakdown, vocabularyOf } from '../../contract/look-up.ts';
import { defaultZone, type ReportRequest } from '../../contract/messages.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type Metric,
  type MetricName,
  metrics,
  type Profile,
} from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import { collectMistakes, didYouMean, type Mistake, quoteIfNeeded } from '../mistakes.ts';
import type { Span } from '../window/window.ts';
import { checkZoneName } from '../window/zone-name.ts';
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
  /** IANA name in any case; DSP only. */
  readonly timezone?: string | undefined;
  /** Whether the create call is to answer with the data itself (`output=direct`). */
  readonly direct?: boolean | undefined;
}

/** A request but for its window. */
export type RequestContent = Omit<ReportRequest, 'since' | 'until'>;

/** The request for a window, or for a part of one. */
export function requestFor(content: RequestContent, { since, until }: Span): ReportRequest {
  return { ...content, since, until };
}

/** What the flags ask for, whatever the window; what is wrong with them is added to `mistakes`. */
export function readContent(flags: RequestFlags, mistakes: Mistake[]): RequestContent {
  const content = {
    metrics: readMetrics(flags, mistakes),
    breakdowns: readBreakdowns(flags, mistakes),
    filters: readFilters(flags.filters ?? [], flags.profile, mistakes),
  };
  const timezone = readTimezone(flags, mistakes);
  return {
    ...content,
    ...(timezone === undefined ? {} : { timezone }),
    ...(flags.direct ? { output: 'direct' } : {}),
  };
}

function readMetrics({ profile, metrics: list }: RequestFlags, mistakes: Mistake[]): MetricName[] {
  const known = vocabularyOf(profile).metrics;
  if (list === undefined) return known.map(({ name }) => name);
  const names = splitList(list);
  if (names.length === 0)
    mistakes.push({ message: '--metrics names no metric.', hint: 'Leave it out for all of them.' });
  const found = names.map((name) => {
    const metric = (metrics as readonly Metric[]).find((candidate) => isSame(candidate.name, name));
    if (metric?.profiles.includes(profile)) return metric.name;
    const rowFieldOf = known.find(({ rowField }) => isSame(rowField?.[profile] ?? '', name));
    mistakes.push(unknownName('metric', name, { profile, known, owner: metric, meant: rowFieldOf }));
    return undefined;
  });
  return distinct(found);
}

function readBreakdowns({ profile, by }: RequestFlags, mistakes: Mistake[]): BreakdownName[] {
  const known = vocabularyOf(profile).breakdowns;
  const found = splitList(by ?? '').map((name) => {
    const breakdown = findBreakdown(name);
    if (breakdown?.profiles.includes(profile)) return breakdown.name;
    const rowFieldOf = known.find(({ fields }) => fields.some((field) => isSame(field.name, name)));
    mistakes.push(unknownName('breakdown', name, { profile, known, owner: breakdown, meant: rowFieldOf }));
    return undefined;
  });
  const names = distinct(found);
  const isTime = (name: string): boolean => findBreakdown(name)?.time === true;
  const times = names.filter(isTime);
  if (times.length > 1) {
    const all = (breakdowns as readonly Breakdown[]).map(({ name }) => name).filter(isTime);
    mistakes.push({
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

function unknownName(kind: 'metric' | 'breakdown', name: string, { profile, known, owner, meant }: Search): Mistake {
  const names = known.map((entry) => entry.name);
  const all = `The ${profile} ${kind}s are ${names.join(', ')}.`;
  if (owner) {
    return { message: `The ${kind} ${owner.name} is in ${owner.profiles.join(' and ')} reports only.`, hint: all };
  }
  const suggestion = meant?.name ?? nearest(name, names);
  return {
    message: `There is no ${kind} ${quoteIfNeeded(name)}.`,
    hint: suggestion === undefined ? all : didYouMean(suggestion),
  };
}

/** The zone that the request states: a DSP's always, so that the service reckons in the zone the window was found in. */
function readTimezone({ profile, timezone }: RequestFlags, mistakes: Mistake[]): string | undefined {
  if (profile === 'dsp') {
    return collectMistakes(mistakes, () => checkZoneName({ flag: '--timezone', text: timezone ?? defaultZone }));
  }
  if (timezone !== undefined) {
    mistakes.push({
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
