import * as fs from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { type CheckMessage, codeOf, OutputError, type UsageError } from '../errors.ts';
import { readFileStates } from '../folder/disk.ts';
import {
  countLeft,
  type FolderRun,
  folderConflict,
  needsReading,
  reasonToDownload,
  unitsBefore,
  type WindowFile,
} from '../folder/due.ts';
import {
  type FolderSpec,
  type History,
  nameInFolder,
  readHistory,
  specLine,
} from '../folder/history.ts';
import { type Series, seriesOf, withSpec } from '../folder/series.ts';
import { windowOf } from '../folder/spec-window.ts';
import type { FolderUnit } from '../folder/units.ts';
import { HistoryWriter } from '../folder/writer.ts';
import { historyName } from '../output/file/file-name.ts';
import {
  beforeTime,
  expandAllButTime,
  expandName,
  hasTimePlaceholder,
  nameValues,
} from '../query/file-name.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import { formatCount, formatPlural, isOrAre } from '../text/quantity.ts';
import { pathWord } from '../text/quote-for-shell.ts';
import { toSpec } from './old-spec.ts';
import { type DuePart, nameFile, type PlannedQuery, withQuery } from './plan-run.ts';
import type { StepTools } from './run-tools.ts';

/** A job checked against the history of its folder. */
export interface FolderReport extends PlannedQuery {
  /** Warnings on the campaign list. */
  readonly earlierWarnings?: readonly CheckMessage[];

  /** Absent if the job keeps no history. */
  readonly writer?: HistoryWriter;

  /** Why none of its reports is requested. Thrown once the other jobs are done. */
  readonly refusal?: UsageError;
}

/**
 * Adds the history writers to jobs; with `--missing` keeps only the parts that are due, each with
 * its reason.
 *
 * @throws OutputError if a folder cannot be listed
 */
export async function chooseParts(
  tools: StepTools,
  jobs: readonly PlannedQuery[],
): Promise<FolderReport[]> {
  const histories = new Histories(tools);
  const chosen: FolderReport[] = [];
  for (const planned of jobs) {
    const job = await keepSeriesMetrics(tools, planned, histories);
    const place = findPlace(tools, job);
    if (place) chosen.push(await chooseDue(tools, job, await runInFolder(job, place, histories)));
    else chosen.push(job.query.missing ? await skipExistingFiles(tools, job) : job);
  }
  return chosen;
}

/**
 * Uses the metrics of the series if none were typed: a version that knows one more must not change
 * the columns of a folder.
 */
async function keepSeriesMetrics(
  tools: StepTools,
  job: PlannedQuery,
  histories: Histories,
): Promise<PlannedQuery> {
  const place = job.query.hasTypedMetrics ? undefined : findPlace(tools, job);
  if (!place) return job;

  const { query } = job;
  const series = await histories.findSeries(place);
  const own = series?.current.spec.request;
  const isSame = own?.metrics.join() === query.metrics.join();
  if (!own || own.profile !== query.profile || isSame) return job;

  const { metrics } = own;
  const names = metrics.join(', ');
  tools.console.note(
    `Note: Using the metrics already in ${printable(place.spec.output)}: ${names}. To change them, add --metrics with a different -o or with --refetch.`,
  );
  const changed = { ...query, metrics };
  return { ...withQuery(job, changed), query: changed };
}

/** Keeps the parts without a file: without a history, every file counts as complete. */
async function skipExistingFiles(
  { console, host }: StepTools,
  job: PlannedQuery,
): Promise<PlannedQuery> {
  console.note('Note: Without a history, --missing only checks whether a file exists.');
  const parts: DuePart[] = [];
  for (const part of job.parts) {
    const path = resolve(host.cwd, nameFile(job, part) ?? '');
    const stats = await fs.stat(path).catch(() => undefined);
    const exists = stats?.isFile() && stats.size > 0;
    if (!exists) parts.push({ ...part, reason: 'no file yet' });
  }
  return { ...job, parts };
}

/** Folder of a history, and the spec of the job with `output` relative to it. */
interface FolderPlace {
  readonly folder: string;
  readonly spec: FolderSpec;
}

/**
 * Finds the folder before the first time placeholder in `-o`; `undefined` for a job that does not
 * write one file per part, for `--no-history`, and for names with `{id}`.
 */
function findPlace({ host }: StepTools, job: PlannedQuery): FolderPlace | undefined {
  const { split } = job.query;
  const [{ path: output }] = job.query.outputs;
  const hasFiles = split !== undefined && hasTimePlaceholder(output) && !output.includes('{id}');
  if (!job.options.history || !hasFiles) return undefined;

  const values = nameValues(job.whole);
  const folder = resolve(host.cwd, dirname(`${expandName(beforeTime(output), values)}x`));
  const path = resolve(host.cwd, expandAllButTime(output, values));
  return { folder, spec: { ...toSpec(job.query), split, output: nameInFolder(folder, path) } };
}

/** Reads the history of each folder once, and warns once if it is unreadable. */
class Histories {
  readonly #tools: StepTools;
  readonly #read = new Map<string, History>();

  readonly nowMs: number;

  /** Unix seconds. */
  readonly now: number;

  constructor(tools: StepTools) {
    this.#tools = tools;
    this.nowMs = tools.host.wallClock();
    this.now = Math.floor(this.nowMs / 1_000);
  }

  /** Throws `OutputError` if the folder cannot be listed. */
  async of(folder: string): Promise<History> {
    const known = this.#read.get(folder);
    if (known) return known;

    const history = await this.#open(folder);
    this.#read.set(folder, history);
    for (const { name, unreadable } of history.sources) {
      if (unreadable === undefined) continue;
      this.#tools.console.warn(`Cannot read the history ${printable(name)}: ${unreadable}.`);
    }
    return history;
  }

  /** Finds the series that a job writes to; `undefined` for a new one. */
  async findSeries({ folder, spec }: FolderPlace): Promise<Series | undefined> {
    const all = seriesOf(await this.of(folder), this.now);
    return all.find(({ names }) => names.output === spec.output);
  }

  async #open(folder: string): Promise<History> {
    const { signal } = this.#tools.host;
    try {
      return await readHistory(folder, { now: this.now, signal });
    } catch (error) {
      const isSystemError = /^E[A-Z]+$/.test(codeOf(error) ?? '');
      if (signal.aborted || !isSystemError) throw error;
      throw new OutputError(`Cannot list the folder ${printable(folder)} (${codeOf(error)}).`, {
        hint: 'Check the permissions of the folder, or use --no-history.',
        cause: error,
      });
    }
  }
}

async function runInFolder(
  job: PlannedQuery,
  place: FolderPlace,
  histories: Histories,
): Promise<FolderRun> {
  const { now, nowMs } = histories;
  const { folder, spec } = place;
  const history = await histories.of(folder);
  const before = await histories.findSeries(place);
  const window = windowOf(spec, nowMs) ?? job.whole;
  const line = specLine(spec, { at: nowMs / 1_000, window });
  const source = historyName(job.options.shard);
  return { history, line, source, before, series: withSpec(before, line), now };
}

/** Returns a part as a unit of the history. */
function unitOfPart({ firstDay, lastDay, since, end }: Part): FolderUnit {
  return { since: firstDay, until: lastDay, start: since, over: end };
}

/** Limits a job to the parts that are due in its folder, or refuses it. */
async function chooseDue(
  tools: StepTools,
  job: PlannedQuery,
  run: FolderRun,
): Promise<FolderReport> {
  const { missing } = job.query;
  const { refetch } = job.options;
  const files = await lookAtParts(tools, job, run);
  const refusal = refetch ? undefined : folderConflict(run, [...files.values()]);
  if (refusal) return { ...job, parts: [], refusal };

  await warnAboutEarlierUnits(tools, job, run);
  const { host, version } = tools;
  const keepsFigures = missing === true && !refetch;
  const { wallClock } = host;
  const writer = new HistoryWriter({ ...run, version, keepsFigures, wallClock, host });
  if (!missing || refetch) return { ...job, writer };

  const parts: DuePart[] = [];
  for (const part of job.parts) {
    const file = files.get(part);
    const reason = file && reasonToDownload(run, file);
    if (reason !== undefined) parts.push({ ...part, reason });
  }

  if (parts.length > 0) {
    const begun = job.parts.filter((part) => files.has(part));
    const all = formatPlural(begun.length, job.query.split ?? 'file');
    tools.console.note(`To download: ${formatCount(parts.length)} of ${all}.`);
  }
  return { ...job, parts, writer };
}

/** Looks at the file of every part of the window that has begun. */
async function lookAtParts(
  { host }: StepTools,
  job: PlannedQuery,
  { history, series: { names }, now }: FolderRun,
): Promise<Map<Part, WindowFile>> {
  const begun = job.allParts.filter(({ since }) => since <= now);
  const onDisk = await readFileStates(
    history.folder,
    begun.map((part) => names.nameFor(unitOfPart(part))),
    { signal: host.signal, reads: (name) => needsReading(history, name) },
  );

  const files = new Map<Part, WindowFile>();
  for (const part of begun) {
    const unit = unitOfPart(part);
    const name = names.nameFor(unit);
    files.set(part, { name, unit, onDisk: onDisk.get(name) ?? { kind: 'absent' } });
  }
  return files;
}

/** Warns about missing or stale units before the window: no run of this job downloads them. */
async function warnAboutEarlierUnits(
  { console, host }: StepTools,
  { account, allParts, query: { split } }: PlannedQuery,
  run: FolderRun,
): Promise<void> {
  const [first] = allParts;
  const units = first ? unitsBefore(run, first.since) : [];
  if (units.length === 0) return;

  const { folder } = run.history;
  const names = units.map(({ name }) => name);
  const options = { signal: host.signal, reads: () => false };
  const onDisk = await readFileStates(folder, names, options);
  const { missing, stale } = countLeft(run, units, onDisk);
  if (missing + stale === 0) return;

  const unit = split ?? 'file';
  const texts: string[] = [];
  if (missing > 0) texts.push(`${formatPlural(missing, unit)} ${isOrAre(missing)} missing`);
  if (stale > 0) {
    const noun = missing > 0 ? formatCount(stale) : formatPlural(stale, unit);
    texts.push(`${noun} ${isOrAre(stale)} stale`);
  }
  const word = pathWord(relative(host.cwd, folder), host.platform);
  const repair = `adreport repair ${word}${account.isLocal ? ' --local' : ''}`;
  console.warn(`Before this period, ${texts.join(' and ')}. To download them: ${repair}`);
}
