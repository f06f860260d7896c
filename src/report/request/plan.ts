import { type DerivedName, derivedMetrics, findDerived } from '../../contract/derived.ts';
import { findBreakdown, isCalled, vocabularyOf } from '../../contract/look-up.ts';
import { defaultZone, type ReportRequest, type WindowClock } from '../../contract/messages.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type Metric,
  type MetricName,
  metrics,
  type Profile,
} from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { collectMistakes, didYouMean, type Mistake, quoteIfNeeded, usageError } from '../mistakes.ts';
import { checkZoneName, type Window, ZoneClock } from '../window/window.ts';
import { resolveWindow, type WindowFlags } from '../window/window-flags.ts';
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
  /** Each a comma list of ISO codes, English names or GeoNames ids. */
  readonly countries?: readonly string[] | undefined;
  /** IANA name in any case; DSP only. */
  readonly timezone?: string | undefined;
  /** Whether the create call is to answer with the data itself (`output=direct`). */
  readonly direct?: boolean | undefined;
  /** How the service reads the window's seconds; `instant` where absent. */
  readonly windowClock?: WindowClock | undefined;
}

/** A report to ask for: the request as the service takes it, and its window in its zone. */
export interface ReportPlan {
  readonly request: ReportRequest;
  readonly window: Window;
  readonly windowClock: WindowClock;
  /** The metrics that the user asked for, in that order; what is computed from sums among them. */
  readonly shownMetrics: readonly (MetricName | DerivedName)[];
}

/**
 * What the flags of `report create` and `run` ask for (`cli.md`). The zone is the report's: Europe/Paris for a buyer,
 * `--timezone` for a DSP. Throws one `UsageError` with every mistake of the command, of request and window alike.
 */
export function planReport(flags: RequestFlags & Omit<WindowFlags, 'zone'>): ReportPlan {
  const mistakes: Mistake[] = [];
  const shownMetrics = readMetrics(flags, mistakes);
  const content = {
    metrics: distinct(shownMetrics.flatMap(neededFor)),
    breakdowns: readBreakdowns(flags, mistakes),
    filters: readFilters(flags, mistakes),
  };
  const timezone = readTimezone(flags, mistakes);
  const window = collectMistakes(mistakes, () => resolveWindow({ ...flags, zone: timezone ?? defaultZone }));
  if (mistakes.length > 0 || !window) throw usageError(mistakes);
  const windowClock = flags.windowClock ?? 'instant';
  const request = {
    ...content,
    ...(timezone === undefined ? {} : { timezone }),
    ...(flags.direct ? { output: 'direct' as const } : {}),
  };
  return { request: requestFor({ request, windowClock }, window), window, windowClock, shownMetrics };
}

interface Askable {
  readonly request: Omit<ReportRequest, 'since' | 'until'>;
  readonly windowClock: WindowClock;
}

/** The request for a window, or for a part of one. Throws `UsageError` where its wall times end before they begin. */
export function requestFor({ request, windowClock }: Askable, { since, until, zone }: Window): ReportRequest {
  if (windowClock === 'instant') return { ...request, since, until };
  const clock = new ZoneClock(zone);
  const wall = { since: clock.wallAt(since), until: clock.wallAt(until) };
  if (wall.since <= wall.until) return { ...request, ...wall };
  throw new UsageError('As wall time this window would end before it begins: the clocks go back within it.', {
    hint: 'Ask for the whole day, or with --window-clock instant.',
  });
}

/** The metrics that the service is asked for, so that one that is shown can be. */
function neededFor(name: MetricName | DerivedName): readonly MetricName[] {
  const derived = derivedMetrics.find(({ field }) => field === name);
  return derived ? [derived.numerator, derived.denominator] : [name as MetricName];
}

function readMetrics({ profile, metrics: list }: RequestFlags, mistakes: Mistake[]): (MetricName | DerivedName)[] {
  const known = vocabularyOf(profile).metrics;
  if (list === undefined) return known.map(({ name }) => name);
  const names = splitList(list);
  if (names.length === 0) {
    mistakes.push({ message: '--metrics names no metric.', hint: 'Leave it out for all of them.' });
  }
  const isHere = (name: MetricName): boolean => known.some((metric) => metric.name === name);
  const computed = derivedMetrics.filter(({ field }) => neededFor(field).every(isHere));
  const found = names.map((name) => {
    const derived = findDerived(name);
    if (derived && computed.some(({ field }) => field === derived.field)) return derived.field;
    const metric = (metrics as readonly Metric[]).find((candidate) => isSame(candidate.name, name));
    if (metric?.profiles.includes(profile)) return metric.name;
    const lacking =
      derived && metrics.find((each) => neededFor(derived.field).includes(each.name) && !isHere(each.name));
    const meant =
      known.find(({ rowField }) => isSame(rowField?.[profile] ?? '', name)) ??
      known.find((each) => isCalled(each, name)) ??
      named(computed.find((each) => isCalled({ ...each, name: each.field }, name)));
    const all = [...known, ...computed.map(({ field }) => ({ name: field }))];
    mistakes.push(unknownName('metric', name, { profile, known: all, owner: metric ?? lacking, meant }));
    return undefined;
  });
  return distinct(found);
}

function named(derived: { readonly field: DerivedName } | undefined): { readonly name: string } | undefined {
  return derived && { name: derived.field };
}

function readBreakdowns({ profile, by }: RequestFlags, mistakes: Mistake[]): BreakdownName[] {
  const known = vocabularyOf(profile).breakdowns;
  const found = splitList(by ?? '').map((name) => {
    const owner = findBreakdown(name);
    if (owner?.profiles.includes(profile)) return owner.name;
    const meant =
      known.find(({ fields }) => fields.some((field) => isSame(field.name, name))) ??
      known.find((each) => isCalled(each, name));
    mistakes.push(unknownName('breakdown', name, { profile, known, owner, meant }));
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

interface Search {
  readonly profile: Profile;
  readonly known: readonly { readonly name: string }[];
  /** The entry of that name, where another profile has it. */
  readonly owner: { readonly name: string; readonly profiles: readonly Profile[] } | undefined;
  /** The entry that has a row field of that name, or is called so elsewhere. */
  readonly meant: { readonly name: string } | undefined;
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
