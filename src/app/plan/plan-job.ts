import { resolve } from 'node:path';
import type { RunOptions } from '../../commands/run.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { placeholdersOf } from '../../output/file/file-name.ts';
import { modifiedAt } from '../../output/file/file-time.ts';
import { checkMergeable, type Part, parseShard, partsOf, takeShard } from '../../report/parts/parts.ts';
import { checkDialect, chooseFormat, columnsNamed } from '../output/output-flags.ts';
import { fileOf, type Job } from './job.ts';
import { planFromFlags } from './plan-report.ts';
import { reportNames } from './report-names.ts';

/**
 * What the flags of `run` ask for. Throws `UsageError` for what does not fit together, before anything is sent.
 *
 * @param name the saved report's
 */
export async function planJob(context: Context, options: RunOptions, name?: string): Promise<Job> {
  const { split, shard, output } = options;
  checkDialect(context, options, chooseFormat(context, options));
  columnsNamed(options);
  const plan = await planFromFlags(context, options);
  const placeholders = output === undefined ? [] : placeholdersOf(output);
  const isMerged = split !== undefined && !placeholders.some((word) => ['date', 'since', 'until'].includes(word));
  if (isMerged) {
    checkMergeable(plan.request.breakdowns, split);
    if (placeholders.includes('id')) {
      throw new UsageError('-o has {id}, but the merged output of several reports has no id.', {
        hint: 'Leave {id} out, or write a file a part with {date}.',
      });
    }
  }
  if (shard !== undefined && split === undefined) throw needs('--shard', '--split', 'It chooses among the parts.');
  const all = partsOf(plan, split);
  const mine = shard === undefined ? all : takeShard(all, parseShard(shard));
  const names = reportNames(plan, name);
  const job = { name, context, options, plan, names, isMerged, parts: mine, partCount: mine.length };
  return { ...job, parts: isMissingOnly(options) ? mine.filter(isStillToFetch(job, all)) : mine };
}

/** Whether `--missing` is given. Throws `UsageError` where its flags do not fit. */
function isMissingOnly({ missing, lookback, output }: RunOptions): boolean {
  if (!missing) {
    if (lookback !== undefined) throw needs('--lookback', '--missing', 'Without it all parts are fetched anyway.');
    return false;
  }
  if (output === undefined || output === '-') throw needs('--missing', '-o', 'It asks which files are not there yet.');
  if (placeholdersOf(output).includes('id')) {
    throw new UsageError('--missing cannot tell which files are there: -o has {id}, which is not known before.', {
      hint: 'Use {date}, {since} or {until} instead.',
    });
  }
  return true;
}

/**
 * Whether a part has no file yet, or one that is not final. No state is kept but the files: one that was written before
 * its part was over holds the beginning of it only, and one that was written while its part was among the last
 * `--lookback` holds numbers that were still to change. So an outage, however long, leaves nothing stale behind.
 */
function isStillToFetch(job: Job, all: readonly Part[]): (part: Part) => boolean {
  const { lookback = 0 } = job.options;
  const { cwd, wallClock } = job.context.host;
  const nowSeconds = Math.floor(wallClock() / 1_000);
  const positions = new Map(all.map((part, position) => [part, position]));
  /** When a part's numbers are final, in unix seconds. */
  const finalAt = (part: Part): number => {
    const last = all[(positions.get(part) ?? 0) + Math.max(0, lookback - 1)];
    return last ? last.window.until : Number.POSITIVE_INFINITY;
  };
  const isFinal = (part: Part): boolean => {
    const writtenAt = modifiedAt(resolve(cwd, fileOf(job, part) ?? ''));
    return writtenAt !== undefined && writtenAt > finalAt(part) && !isAmongLast(part);
  };
  const begun = all.filter(({ window }) => window.since <= nowSeconds);
  const lastOnes = new Set(begun.slice(Math.max(0, begun.length - lookback)));
  const isAmongLast = (part: Part): boolean => lastOnes.has(part);
  // A merged output is one file, which is written anew if any of its parts is not final.
  if (job.isMerged) {
    const isWanted = begun.some((part) => !isFinal(part));
    return () => isWanted;
  }
  return (part) => part.window.since <= nowSeconds && !isFinal(part);
}

function needs(flag: string, other: string, why: string): UsageError {
  return new UsageError(`${flag} goes with ${other} only.`, { hint: `${why} Add ${other}, or leave ${flag} out.` });
}
