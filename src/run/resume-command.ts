import {
  AdreportError,
  ErrorInContext,
  endsReport,
  isClosedPipe,
  isInterruption,
  isNotSignedIn,
  isReportFailure,
  isUnreachable,
} from '../errors.ts';
import { commandFor, fixedPeriod } from '../query/command-for.ts';
import { downloadFlags } from '../query/flags/download-flags.ts';
import type { FlagGroup } from '../query/flags/flag.ts';
import { keepsFolder } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { toArguments } from '../query/saved-keys.ts';
import { printable } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import type { ReportPlan } from './plan-run.ts';

function baseUrlWords(baseUrl: string | undefined): string[] {
  return baseUrl === undefined ? [] : ['--base-url', baseUrl];
}

/** Formats the command that resumes a report, or requests it again. */
function resumeCommand(
  { query, options, whole, allParts }: ReportPlan,
  platform: NodeJS.Platform,
): string {
  const { shard, baseUrl, fresh } = options;
  const more = [
    // Without it, the files of a folder that are final are not requested again.
    ...(fresh && keepsFolder(query) ? ['--fresh'] : []),
    ...(shard ? ['--shard', `${shard.index}/${shard.count}`] : []),
    ...baseUrlWords(baseUrl),
  ];
  // By parts, because the last one may not be over.
  const [first = whole] = allParts;
  const period = fixedPeriod(first, allParts.at(-1) ?? whole);
  return commandFor(query, period, { platform, more });
}

const downloadOptions = new Set(
  downloadFlags.flatMap(({ flags }: FlagGroup) => Object.keys(flags)),
);

/**
 * Formats the command that resumes the one report of a run after an error. If a bare token was
 * refused, it names the id: a new token counts as another account, which has no report to resume.
 */
export function nextCommand(
  report: ReportPlan,
  error: AdreportError,
  platform: NodeJS.Platform,
): string {
  const { query, options } = report;
  const isBare = query.account === undefined && query.login === undefined;
  if (error.reportId === undefined || !isBare || !isNotSignedIn(error)) {
    return resumeCommand(report, platform);
  }
  const flags = toArguments(query, (option) => downloadOptions.has(option));
  const words = ['download', '--wait', ...flags, ...baseUrlWords(options.baseUrl)];
  // An id that begins with a dash would be read as a flag.
  const dashes = error.reportId.startsWith('-') ? ['--'] : [];
  return formatCommand([...words, ...dashes, error.reportId], platform);
}

/** Formats the command that requests a report again. */
export function requestAgainCommand(
  part: Part,
  baseUrl: string | undefined,
  platform: NodeJS.Platform,
): string {
  return commandFor(part.query, fixedPeriod(part), { platform, more: baseUrlWords(baseUrl) });
}

/** Commands to print after an error; absent if none works. */
interface NextCommands {
  /** Resumes the report. */
  readonly resume?: string | undefined;

  /** Requests a failed report again. */
  readonly again?: string | undefined;
}

/** Adds the next command to the error of one report. */
export function withNextCommand(error: unknown, { resume, again }: NextCommands): unknown {
  if (!(error instanceof AdreportError) || isClosedPipe(error)) return error;
  const { reportId, message, hint } = error;
  if (isReportFailure(error)) {
    if (again === undefined) return error;
    return new ErrorInContext(error, { hint: `Request it again: ${again}` });
  }

  const hasBegun = reportId !== undefined || isUnreachable(error) || isInterruption(error);
  if (resume === undefined || endsReport(error) || !hasBegun) return error;
  const shown = printable(reportId ?? '');
  const isNamed = message.includes(shown) || resume.includes(shown);
  const available = isNamed ? '' : `The report ${shown} is still available. `;
  const isLost = reportId === undefined && isUnreachable(error);
  const what = isLost ? 'To run it again' : 'To resume';
  const hints = [...(hint === undefined ? [] : [hint]), `${available}${what}: ${resume}`];
  return new ErrorInContext(error, { hint: hints.join('\n') });
}

/** Formats the typed command on a report that is named by its id, so that it waits for it. */
export function waitingCommand(
  argv: readonly string[],
  command: 'download' | 'status',
  platform: NodeJS.Platform,
): string {
  const words = argv.includes('--wait')
    ? argv
    : argv.toSpliced(argv.indexOf(command) + 1, 0, '--wait');
  return formatCommand(words, platform);
}

function formatCommand(words: readonly string[], platform: NodeJS.Platform): string {
  return ['adreport', ...words.map((word) => shellWord(word, platform))].join(' ');
}
