import { hasFixedEnd, windowOf } from '../report/spec-window.ts';
import type { CalendarUnit } from '../report/window.ts';
import {
  type FileEntry,
  type FolderSpec,
  type History,
  type HistoryFile,
  isAhead,
  type SpecLine,
} from './history.ts';

/** The files of one `output`. */
export interface Series {
  readonly names: FileNames;

  /** The last spec line that is not a backfill. */
  readonly current: SpecLine;

  /** All spec lines. */
  readonly specs: readonly SpecLine[];
}

/**
 * The series of a folder, sorted by output.
 *
 * @param now the current time, in unix seconds
 */
export function seriesOf({ sources }: History, now: number): Series[] {
  const linesOf = new Map<string, SpecLine[][]>();
  for (const source of sources) {
    for (const [output, lines] of linesByOutput(source)) {
      linesOf.set(output, [...(linesOf.get(output) ?? []), lines]);
    }
  }

  const series: Series[] = [];
  for (const [output, ofSources] of [...linesOf].sort(byOutput)) {
    const current = currentSpec(ofSources, now);
    if (current) series.push({ names: new FileNames(output), current, specs: ofSources.flat() });
  }
  return series;
}

function linesByOutput({ specs }: HistoryFile): Map<string, SpecLine[]> {
  const linesOf = new Map<string, SpecLine[]>();
  for (const line of specs) {
    const { output } = line.spec;
    const lines = linesOf.get(output);
    if (lines) lines.push(line);
    else linesOf.set(output, [line]);
  }
  return linesOf;
}

function byOutput([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/**
 * The latest of the last spec lines of each history file.
 *
 * @param ofSources the spec lines of a series in each history file
 */
function currentSpec(ofSources: readonly SpecLine[][], now: number): SpecLine | undefined {
  const ranked: SpecLine[] = [];
  for (const lines of ofSources) {
    const last = lines.findLast(({ isBackfill }) => !isBackfill) ?? lines.at(-1);
    if (last) ranked.push(last);
  }

  const rank = ({ at, isBackfill }: SpecLine): number => {
    if (isBackfill) return -2;
    return isAhead(at, now) ? -1 : at;
  };
  return ranked.sort((one, other) => rank(one) - rank(other)).at(-1);
}

/** The last spec line of a series in one history file, to compare a new one with. */
export function lastSpec(
  { sources }: History,
  { output, source, isBackfill }: { output: string; source: string; isBackfill: boolean },
): SpecLine | undefined {
  const file = sources.find(({ name }) => name === source);
  return file?.specs.findLast((line) => {
    return line.spec.output === output && (isBackfill || !line.isBackfill);
  });
}

/** The series after a spec line is written. */
export function withSpec(series: Series | undefined, line: SpecLine): Series {
  if (!series) return { names: new FileNames(line.spec.output), current: line, specs: [line] };
  const specs = [...series.specs, line];
  return { ...series, specs, current: line.isBackfill ? series.current : line };
}

/** True for a fixed window that ends before the newest file line of its series. */
export function isBackfill({ files }: History, spec: FolderSpec, now: number): boolean {
  if (!hasFixedEnd(spec, now * 1_000)) return false;

  const names = new FileNames(spec.output);
  let newest = 0;
  for (const [name, entries] of files) {
    if (!names.fits(name)) continue;
    for (const { line } of entries) {
      const isOfFuture = isAhead(Date.parse(line.since) / 1_000, now);
      if (!isOfFuture) newest = Math.max(newest, Date.parse(line.until) / 1_000);
    }
  }
  const end = windowOf(spec, now * 1_000)?.until ?? 0;
  return end < newest;
}

/** Two different owners of a series, as text. */
export interface OwnerConflict {
  readonly before: string;
  readonly now: string;
}

type Owner = Pick<FolderSpec, 'account' | 'login' | 'service'>;

/** The owners of two specs, if they are known to differ. */
export function ownerConflict(before: Owner, now: Owner): OwnerConflict | undefined {
  const areKnown = before.service !== undefined && now.service !== undefined;
  if (areKnown && (before.service === 'local') !== (now.service === 'local')) {
    return { before: serviceText(before), now: serviceText(now) };
  }
  if (before.login !== undefined && now.login !== undefined) {
    return before.login === now.login ? undefined : { before: before.login, now: now.login };
  }
  if (before.account === undefined || now.account === undefined) return undefined;
  if (before.account === now.account) return undefined;
  return { before: `the account ${before.account}`, now: `the account ${now.account}` };
}

function serviceText({ service }: Owner): string {
  return service === 'local' ? 'a local server' : (service ?? 'another service');
}

/** True if two spec lines have the same content and owner. */
export function isAlike(one: SpecLine, other: SpecLine): boolean {
  return one.content === other.content && !ownerConflict(one.spec, other.spec);
}

/** True if the window of a line is in a calendar unit, from its start; it may end early. */
export function isOfUnit({ line }: FileEntry, unit: Pick<CalendarUnit, 'start' | 'over'>): boolean {
  const since = Date.parse(line.since) / 1_000;
  return since === unit.start && Date.parse(line.until) / 1_000 < unit.over;
}

const timePlaceholder = /\{(date|since|until)\}/g;

/** The names of the files of one `output`, such as `date={date}/part.csv`. */
export class FileNames {
  readonly output: string;
  readonly #pattern: RegExp;

  constructor(output: string) {
    this.output = output;
    this.#pattern = patternOf(output);
  }

  /** The name of the file of a unit. */
  of({ since, until }: Pick<CalendarUnit, 'since' | 'until'>): string {
    return this.output.replace(timePlaceholder, (_, name: string) =>
      name === 'until' ? until : since,
    );
  }

  /** True if a name fits the pattern, with any dates. */
  fits(name: string): boolean {
    return this.#pattern.test(name);
  }

  /** The number of path segments: 2 for `date={date}/part.csv`. */
  get depth(): number {
    return this.output.split('/').length;
  }

  /** The file ending, such as `.parquet` or `.csv.gz`. */
  get ending(): string {
    const name = this.output.slice(this.output.lastIndexOf('/') + 1);
    return /(\.[A-Za-z]\w*)?(\.gz)?$/.exec(name)?.[0] ?? '';
  }
}

function patternOf(output: string): RegExp {
  const seen = new Set<string>();
  const source = output.replaceAll(/\{(date|since|until)\}|[\\^$.*+?()[\]{}|/-]/g, (all, name) => {
    if (name === undefined) return `\\${all}`;
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>\\d{4}-\\d{2}-\\d{2})`;
  });
  return new RegExp(`^${source}$`);
}
