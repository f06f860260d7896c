import { join, relative, resolve } from 'node:path';
import {
  type FileFacts,
  type Finding,
  judgeFolder,
  type RequestSummary,
} from '../app/folder-check.ts';
import { findReportFolders, type ReportFolder, readFileFacts } from '../app/folder-files.ts';
import type { Context } from '../context.ts';
import { codeOf } from '../errors.ts';
import { type TextColumn, textTable } from '../output/table/table-layout.ts';
import { requestInWords } from '../report/filter-words.ts';
import { membersInWords } from '../report/member-words.ts';
import type { AgeOfReports, LookbackAdvice } from '../report/restatement.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatBytes, formatCount, formatPlural } from '../text/quantity.ts';
import { groupedText } from '../view/numbers.ts';
import { declareCommand } from './command.ts';

export const checkCommand = declareCommand({
  name: 'check',
  summary: 'find what is missing, changed or wrong in a folder of reports',
  args: ['<path...>'],
  examples: [
    ['adreport check data', 'a folder that run filled; exit 9 where something is wrong'],
    ['adreport check data/date=2026-11-01/part.parquet', 'one file of it'],
    ["adreport check data --json | jq '.findings[].file'", 'the findings as data'],
  ],
  async action({ context, args: [paths] }) {
    const checked: CheckedFolder[] = [];
    for (const path of paths) {
      const folders = await findReportFolders(resolve(context.host.cwd, path));
      for (const folder of folders) checked.push(await checkFolder(context, folder));
    }

    const { console, flags } = context;
    await console.write(flags.json ? jsonOf(checked) : textOf(context, checked));
    const isWhole = checked.every(({ findings }) => findings.length === 0);
    return isWhole ? 0 : exitCodeOfFindings;
  },
});

/** As for data that arrives damaged (`cli.md`, Exit codes). */
const exitCodeOfFindings = 9;

/** What was found out about one folder of reports; paths are as the user would type them. */
interface CheckedFolder {
  readonly folder: string;
  readonly requests: readonly RequestSummary[];
  readonly findings: readonly Finding[];
  readonly ages: readonly AgeOfReports[];
  readonly advice: LookbackAdvice;
  /** What a single file says of itself. */
  readonly fileSentences: readonly string[];
}

async function checkFolder(context: Context, folder: ReportFolder): Promise<CheckedFolder> {
  const { books, olderCopies, history } = folder;
  const names = new Set([...folder.files, ...books.lines.keys()]);
  const files: FileFacts[] = [];
  const unreadable: Finding[] = [];

  const meter = (await context.progress()).transfer('Checking', bytesOf(folder));
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
    meter.update({ bytes });
  };
  try {
    for (const name of names) {
      const { signal } = context.host;
      try {
        const facts = await readFileFacts(folder.path, name, { signal, onBytes });
        if (facts) files.push(facts);
      } catch (error) {
        if (signal.aborted) throw error;
        const sentence = `${name} could not be read (${codeOf(error) ?? String(error)}).`;
        unreadable.push({ kind: 'unreadable', file: name, sentence });
      }
    }
  } catch (error) {
    throw context.host.signal.aborted ? context.host.signal.reason : error;
  } finally {
    meter.stop();
  }

  const onlyFile = files.length === 1 ? files[0] : undefined;
  const shownFolder = relative(context.host.cwd, folder.path) || '.';
  const verdict = judgeFolder({ books, olderCopies, files });
  const isUnreadable = ({ file }: Finding) => unreadable.some((finding) => finding.file === file);
  const others = verdict.findings.filter((finding) => !isUnreadable(finding));
  const findings = [...unreadable, ...others];
  return {
    folder: shownFolder,
    requests: verdict.requests,
    findings: findings.map((finding) => withPath(finding, shownFolder)),
    ages: history.ages,
    advice: history.advice,
    fileSentences: onlyFile ? membersInWords(onlyFile.members ?? []) : [],
  };
}

/** How many bytes there are to read, as far as the books know. */
function bytesOf({ books }: ReportFolder): number {
  let bytes = 0;
  for (const line of books.lines.values()) bytes += line.bytes;
  return bytes;
}

/** The finding with the path of its file from the working folder. */
function withPath(finding: Finding, folder: string): Finding {
  return finding.file === undefined ? finding : { ...finding, file: join(folder, finding.file) };
}

function jsonOf(checked: readonly CheckedFolder[]): string {
  const document = {
    findings: checked.flatMap(({ findings }) => findings),
    requests: checked.flatMap(({ folder, requests }) => {
      return requests.map((request) => ({ folder, ...request }));
    }),
    restatement: checked.map(({ folder, ages, advice }) => ({ folder, ages, ...advice })),
  };
  return `${visibleJson(document)}\n`;
}

/** So many findings are printed; `--json` has all of them. */
const findingsAtMost = 50;

function textOf({ console }: Context, checked: readonly CheckedFolder[]): string {
  const { bold, red, green } = console.out.style;
  const blocks: string[] = [];

  for (const { folder, requests, findings, ages, advice, fileSentences } of checked) {
    const lines = [bold(printable(folder))];
    for (const request of requests) lines.push(...linesOfRequest(request));
    if (requests.length === 0) {
      lines.push('  It has no books.');
      for (const sentence of fileSentences) lines.push(`  ${printable(sentence)}`);
    }

    const count = findings.length;
    lines.push(
      '',
      count === 0 ? green('Nothing is wrong.') : red(`${formatPlural(count, 'finding')}:`),
    );
    for (const { sentence } of findings.slice(0, findingsAtMost)) {
      lines.push(`  ${printable(sentence)}`);
    }
    if (count > findingsAtMost) {
      lines.push(`  … and ${formatCount(count - findingsAtMost)} more: --json has all of them.`);
    }

    if (ages.length > 0) lines.push('', 'How far figures moved when they were fetched again:', '');
    if (ages.length > 0) lines.push(tableOfAges(ages));
    if (requests.length > 0) lines.push('', advice.sentence);
    blocks.push(lines.join('\n'));
  }
  return `${blocks.join('\n\n')}\n`;
}

function linesOfRequest(summary: RequestSummary): string[] {
  const { request, since, until, files, rows, bytes, totals } = summary;
  const size = [formatPlural(files, 'file'), formatPlural(rows, 'row'), formatBytes(bytes)];
  const sums = Object.entries(totals).map(([metric, sum]) => `${metric} ${groupedText(sum)}`);

  return [
    `  ${printable(requestInWords(request))}`,
    `  ${since.slice(0, 10)} … ${until.slice(0, 10)}: ${size.join(', ')}`,
    `  ${printable(sums.join(', '))}`,
  ];
}

function tableOfAges(ages: readonly AgeOfReports[]): string {
  const metrics = [...new Set(ages.flatMap(({ movements }) => Object.keys(movements)))];
  const columns: TextColumn<AgeOfReports>[] = [
    { name: 'days after', value: ({ ageDays }) => String(ageDays), keep: true },
    { name: 'fetched again', value: ({ refetched }) => String(refetched), keep: true },
  ];

  for (const metric of metrics) {
    columns.push({
      name: `${metric}: mean, most`,
      value: ({ movements }) => {
        const movement = movements[metric];
        return movement && `${percent(movement.mean)}, ${percent(movement.most)}`;
      },
    });
  }
  return textTable(ages, columns, {}).trimEnd();
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}
