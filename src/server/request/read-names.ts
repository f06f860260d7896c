import { findBreakdown, findMetric, vocabularyOf } from '../../contract/look-up.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type MetricName,
  metrics,
  type Profile,
} from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import { type Parameters, readArray } from './parse-body.ts';
import { type RequestFaults, shown, tooMany, valuesAtMost } from './request-faults.ts';

/** The two lists of names that a report request has. */
type ListName = 'metrics' | 'breakdowns';
type Names = Readonly<Record<ListName, readonly string[]>>;

const known: Names = { metrics: metrics.map(({ name }) => name), breakdowns: breakdowns.map(({ name }) => name) };
/** What a profile may name. */
const allowedTo: Readonly<Record<Profile, Names>> = { buyer: namesOf('buyer'), dsp: namesOf('dsp') };

function namesOf(profile: Profile): Names {
  const vocabulary = vocabularyOf(profile);
  return {
    metrics: vocabulary.metrics.map(({ name }) => name),
    breakdowns: vocabulary.breakdowns.map(({ name }) => name),
  };
}

/** The metrics asked for: a comma list or an array, at least one. */
export function readMetrics(given: Parameters, profile: Profile, faults: RequestFaults): MetricName[] {
  const names = readNames('metrics', given, faults);
  if (names?.length === 0) {
    const problem = 'is missing: name at least one metric.';
    faults.add('MISSING_PARAMETER', () => ({ parameter: 'metrics', problem, allowed: allowedTo[profile].metrics }));
  }
  const found: MetricName[] = [];
  for (const name of names ?? []) {
    const metric = findMetric(name);
    if (metric?.profiles.includes(profile)) found.push(metric.name);
    else refuseName('metrics', { name, profile, exists: metric !== undefined }, faults);
  }
  // A report keeps the list: without the room that a list has to grow.
  return found.slice();
}

/** The breakdowns asked for: an array, of which one at most is of time. */
export function readBreakdowns(given: Parameters, profile: Profile, faults: RequestFaults): BreakdownName[] {
  const found: Breakdown[] = [];
  for (const name of readNames('breakdowns', given, faults) ?? []) {
    const breakdown = findBreakdown(name);
    if (breakdown?.profiles.includes(profile)) {
      // `daily` and `DAILY` are one.
      if (!found.includes(breakdown)) found.push(breakdown);
    } else refuseName('breakdowns', { name, profile, exists: breakdown !== undefined }, faults);
  }
  let timeCount = 0;
  for (const { time } of found) if (time) timeCount += 1;
  if (timeCount > 1) {
    const times = found.filter(({ time }) => time).map(({ name }) => name);
    const problem = `${times.join(' and ')} exclude each other: use at most one time breakdown.`;
    faults.add('CONFLICTING_BREAKDOWNS', () => ({ parameter: 'breakdowns', value: times, problem }));
  }
  return found.map(({ name }) => name);
}

/** Names with the blanks around them trimmed, repeats dropped, in their order. `undefined` where the list is at fault. */
function readNames(parameter: ListName, given: Parameters, faults: RequestFaults): readonly string[] | undefined {
  const values = readArray(given.get(parameter));
  if (!values) {
    return faults.add('INVALID_PARAMETER', () => ({ parameter, problem: 'must be a list of names.' }));
  }
  // A comma list is a form of `metrics` alone (`decisions.md` 2).
  const names = parameter === 'metrics' ? splitAtCommas(values) : values;
  if (names.length > valuesAtMost) return faults.add('INVALID_PARAMETER', () => tooMany(parameter));
  const distinct: string[] = [];
  for (const name of names) {
    const trimmed = name.trim();
    if (trimmed !== '' && !distinct.includes(trimmed)) distinct.push(trimmed);
  }
  return distinct;
}

function splitAtCommas(values: readonly string[]): readonly string[] {
  const [first = ''] = values;
  if (values.length === 1) return first.split(',', valuesAtMost + 1);
  return values.flatMap((value) => value.split(',', valuesAtMost + 1));
}

interface RefusedName {
  readonly name: string;
  readonly profile: Profile;
  /** Whether the other profile has it. */
  readonly exists: boolean;
}

function refuseName(parameter: ListName, { name, profile, exists }: RefusedName, faults: RequestFaults): void {
  const value = shown(name);
  const allowed = allowedTo[profile][parameter];
  if (exists) {
    const problem = `${value} is not available to the ${profile} profile.`;
    faults.add('PROFILE_MISMATCH', () => ({ parameter, value, problem, allowed }));
    return;
  }
  faults.add('INVALID_PARAMETER', () => {
    const problem = `${value} is not known${name.includes(',') ? commaAdvice : suggestion(name, known[parameter])}`;
    return { parameter, value, problem, allowed };
  });
}

const commaAdvice = ': send each breakdown by itself, as an array or as breakdowns[0]=…&breakdowns[1]=….';

/** The end of a sentence about a name that is not known. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const guess = nearest(name, candidates);
  return guess ? `: did you mean ${guess}?` : '.';
}
