import type { TableLook } from '../../output/encoder.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import { formatCount, formatPlural } from '../../text/quantity.ts';

export interface CheckText {
  readonly folders: readonly { readonly path: string; readonly sentences: readonly string[] }[];
  readonly problemCount: number;

  /** One for consecutive days with the same problem. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];

  /** Steps to fix by hand what no download fixes. */
  readonly fixes: readonly string[];

  /** On files that were changed, if there are any. */
  readonly advice: string | undefined;

  /** Downloads what is wrong; `undefined` if there is nothing to download. */
  readonly repairCommand: string | undefined;
  readonly reportCount: number;
}

const maxListedProblems = 50;

export function checkLines(check: CheckText, look: TableLook): string[] {
  const { folders, problems, problemCount, notes, fixes, advice, repairCommand } = check;
  const { style, width = Number.POSITIVE_INFINITY } = look;
  const indented = (sentence: string): string => {
    return `  ${wrap(printable(sentence), width - 2).join('\n  ')}`;
  };

  const lines: string[] = [];
  for (const { path, sentences } of folders) {
    const name = printable(path);
    lines.push(style?.bold(name) ?? name, ...sentences.map(indented));
  }

  const none = 'No problems found.';
  const some = `${formatPlural(problemCount, 'problem')}:`;
  const headline = problemCount === 0 ? (style?.green(none) ?? none) : (style?.red(some) ?? some);
  lines.push('', headline, ...problems.slice(0, maxListedProblems).map(indented));
  if (problems.length > maxListedProblems) {
    const rest = formatCount(problems.length - maxListedProblems);
    lines.push(indented(`… and ${rest} more: --json has all of them.`));
  }

  if (notes.length > 0) lines.push('', `${formatPlural(notes.length, 'note')}:`);
  lines.push(...notes.map(indented));
  if (fixes.length > 0) lines.push('', 'Fix by hand:');
  lines.push(...fixes.map(indented));
  if (advice !== undefined) lines.push('', ...wrap(advice, width));
  if (repairCommand !== undefined) {
    const reports = formatPlural(check.reportCount, 'report');
    lines.push('', `To repair: ${printable(repairCommand)}   (${reports})`);
  }
  return lines;
}
