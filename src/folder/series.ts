import {
  type FileEntry,
  type FolderSpec,
  type History,
  type HistoryFile,
  isInFuture,
  type SpecLine,
} from './history.ts';
import type { FolderUnit } from './units.ts';

/** Files of one `output`. */
export interface Series {
  readonly names: FileNames;

  /** Last spec line. */
  readonly current: SpecLine;

  /** Last line of a standing job; absent if there is none. */
  readonly standing: SpecLine | undefined;

  readonly specs: readonly SpecLine[];

  /** Beginnings of the windows of its files, in unix seconds and in time order. */
  readonly fileTimes: readonly number[];
}

/**
 * Sorts the series of a folder by output.
 *
 * @param now in unix seconds
 */
export function seriesOf({ sources, files }: History, now: number): Series[] {
  const linesOf = new Map<string, SpecLine[][]>();
  for (const source of sources) {
    for (const [output, lines] of linesByOutput(source)) {
      linesOf.set(output, [...(linesOf.get(output) ?? []), lines]);
    }
  }

  const found: (Series & { readonly fileTimes: number[] })[] = [];
  for (const [output, lines] of [...linesOf].sort(byOutput)) {
    const current = lastLine(lines, now);
    const standing = lastLine(
      lines.map((source) => source.filter(({ isStanding }) => isStanding)),
      now,
    );
    if (!current) continue;
    const names = new FileNames(output);
    found.push({ names, current, standing, specs: lines.flat(), fileTimes: [] });
  }

  const index = new SeriesIndex(found);
  for (const [name, entries] of files) {
    const since = Date.parse(entries.at(-1)?.line.since ?? '') / 1_000;
    for (const { fileTimes } of index.find(name)) fileTimes.push(since);
  }
  for (const { fileTimes } of found) fileTimes.sort((one, other) => one - other);
  return found;
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
 * Returns the latest of the last lines of each history file. A line that is too far ahead is from a
 * wrong clock.
 */
function lastLine(sources: readonly SpecLine[][], now: number): SpecLine | undefined {
  const rank = ({ at }: SpecLine): number => (isInFuture(at, now) ? -1 : at);
  const last = sources.flatMap((lines) => lines.at(-1) ?? []);
  return last.sort((one, other) => rank(one) - rank(other)).at(-1);
}

/** Returns the last spec line of a series in one history file, to compare a new one with. */
export function lastSpec(
  { sources }: History,
  { output, source }: { readonly output: string; readonly source: string },
): SpecLine | undefined {
  const file = sources.find(({ name }) => name === source);
  return file?.specs.findLast(({ spec }) => spec.output === output);
}

export function withSpec(series: Series | undefined, line: SpecLine): Series {
  const { names = new FileNames(line.spec.output), specs = [], fileTimes = [] } = series ?? {};
  const standing = line.isStanding ? line : series?.standing;
  return { names, current: line, standing, specs: [...specs, line], fileTimes };
}

/** Finds the series of a file by its name, also among thousands of series. */
export class SeriesIndex<Known extends Pick<Series, 'names'> = Series> {
  readonly #byShape = new Map<string, Known[]>();

  constructor(all: readonly Known[]) {
    for (const series of all) {
      const shape = nameWithoutDates(series.names.output.replace(timePlaceholder, '0000-00-00'));
      const list = this.#byShape.get(shape) ?? [];
      list.push(series);
      this.#byShape.set(shape, list);
    }
  }

  /** Returns the series whose names fit a path, in their order. */
  find(name: string): Known[] {
    const candidates = this.#byShape.get(nameWithoutDates(name)) ?? [];
    return candidates.filter(({ names }) => names.matches(name));
  }
}

function nameWithoutDates(name: string): string {
  return name.replaceAll(/\d{4}-\d{2}-\d{2}/g, '{}');
}

type Owner = Pick<FolderSpec, 'account' | 'login' | 'service'>;

/** Names the owners of two specs, if they are known to differ. */
export function ownerConflict(before: Owner, now: Owner) {
  const areKnown = before.service !== undefined && now.service !== undefined;
  if (areKnown && (before.service === 'local') !== (now.service === 'local')) {
    return { before: serviceName(before), now: serviceName(now) };
  }
  if (before.login !== undefined && now.login !== undefined) {
    return before.login === now.login ? undefined : { before: before.login, now: now.login };
  }
  if (before.account === undefined || now.account === undefined) return undefined;
  if (before.account === now.account) return undefined;
  return { before: `the account ${before.account}`, now: `the account ${now.account}` };
}

function serviceName({ service }: Owner): string {
  return service === 'local' ? 'a local server' : (service ?? 'another service');
}

/** Compares content and owner. */
export function isSameJob(one: SpecLine, other: SpecLine): boolean {
  return one.content === other.content && !ownerConflict(one.spec, other.spec);
}

/** The window must begin with the unit; it may end early. */
export function belongsToUnit(
  { line }: FileEntry,
  unit: Pick<FolderUnit, 'start' | 'over'>,
): boolean {
  const since = Date.parse(line.since) / 1_000;
  return since === unit.start && Date.parse(line.until) / 1_000 < unit.over;
}

const timePlaceholder = /\{(date|since|until)\}/g;

/** Names of the files of one `output`, such as `date={date}/part.csv`. */
export class FileNames {
  readonly output: string;
  readonly #pattern: RegExp;

  /** Literal strings, with the names of placeholders in between. */
  readonly #pieces: readonly string[];

  constructor(output: string) {
    this.output = output;
    this.#pattern = namePattern(output);
    this.#pieces = output.split(timePlaceholder);
  }

  nameFor({ since, until }: Pick<FolderUnit, 'since' | 'until'>): string {
    let name = '';
    for (const [index, piece] of this.#pieces.entries()) {
      const isText = index % 2 === 0;
      if (isText) name += piece;
      else name += piece === 'until' ? until : since;
    }
    return name;
  }

  /** Accepts any dates. */
  matches(name: string): boolean {
    return this.#pattern.test(name);
  }

  /** Counts path segments: 2 for `date={date}/part.csv`. */
  get depth(): number {
    return this.output.split('/').length;
  }

  /** For example `.parquet` or `.csv.gz`. */
  get ending(): string {
    const name = this.output.slice(this.output.lastIndexOf('/') + 1);
    return /(\.[A-Za-z]\w*)?(\.gz)?$/.exec(name)?.[0] ?? '';
  }
}

function namePattern(output: string): RegExp {
  const seen = new Set<string>();
  const source = output.replaceAll(/\{(date|since|until)\}|[\\^$.*+?()[\]{}|/-]/g, (all, name) => {
    if (name === undefined) return `\\${all}`;
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>\\d{4}-\\d{2}-\\d{2})`;
  });
  return new RegExp(`^${source}$`);
}
