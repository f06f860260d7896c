import { join, relative, resolve } from 'node:path';
import { tableLook } from '../app/deliver.ts';
import {
  type FileFacts,
  type Finding,
  judgeFolder,
  type RequestSummary,
} from '../app/folder-check.ts';
import { findReportFolders, type ReportFolder, readFileFacts } from '../app/folder-files.ts';
import type { Context } from '../context.ts';
import { codeOf } from '../errors.ts';
import type { TableLook } from '../output/encoder.ts';
import { type TextColumn, textTable } from '../output/table/table-layout.ts';
import { requestInWords } from '../report/filter-words.ts';
import { membersInWords } from '../report/member-words.ts';
import type { AgeOfReports, LookbackAdvice } from '../report/restatement.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { wrap } from '../text/cell-width.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { formatBytes, formatCount, formatPlural } from '../text/quantity.ts';
import { figuresOf, leadingFirst } from '../view/figures.ts';
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
  /** What a single file says of itself; absent where there are more, or none that says something. */
  readonly describedFile?: DescribedFile | undefined;
}

/** A file that says of itself what it is of. */
interface DescribedFile {
  /** As the user would type it. */
  readonly file: string;
  readonly members: readonly ReportMember[];
}

async function checkFolder(context: Context, folder: ReportFolder): Promise<CheckedFolder> {
  const { books, olderCopies, history, isLoneFile } = folder;
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

  const shownFolder = relative(context.host.cwd, folder.path) || '.';
  const verdict = judgeFolder({ books, olderCopies, files, isLoneFile });
  const isUnreadable = ({ file }: Finding) => unreadable.some((finding) => finding.file === file);
  const others = verdict.findings.filter((finding) => !isUnreadable(finding));
  const findings = [...unreadable, ...others];
  return {
    folder: shownFolder,
    requests: verdict.requests,
    findings: findings.map((finding) => withPath(finding, shownFolder)),
    ages: history.ages,
    advice: history.advice,
    describedFile: describedFileIn(files, shownFolder),
  };
}

function describedFileIn(files: readonly FileFacts[], folder: string): DescribedFile | undefined {
  const [only, ...others] = files;
  if (!only?.members || only.members.length === 0 || others.length > 0) return undefined;
  return { file: join(folder, only.file), members: only.members };
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
    files: checked.flatMap(({ describedFile }) => (describedFile ? documentOf(describedFile) : [])),
  };
  return `${visibleJson(document)}\n`;
}

/** What a file says of itself, as members beside its name. */
function documentOf({ file, members }: DescribedFile): object {
  const document: Record<string, unknown> = { file };
  for (const { name, json } of members) document[name] = JSON.parse(json.toString());
  return document;
}

/** So many findings are printed; `--json` has all of them. */
const findingsAtMost = 50;

function textOf(context: Context, checked: readonly CheckedFolder[]): string {
  const look = tableLook(context);
  const blocks = checked.map((folder) => linesOf(folder, context, look).join('\n'));
  return `${blocks.join('\n\n')}\n`;
}

function linesOf(folder: CheckedFolder, { console }: Context, look: TableLook): string[] {
  const { requests, findings, ages, advice, describedFile } = folder;
  const { bold, red, green } = console.out.style;
  const lines = [bold(printable(describedFile?.file ?? folder.folder))];

  const sentences = describedFile ? membersInWords(describedFile.members) : [];
  for (const request of requests) {
    if (sentences.length === 0) sentences.push(requestInWords(request.request));
    sentences.push(...figuresInWords(request));
    for (const sentence of sentences.splice(0)) lines.push(indented(sentence, look));
  }
  if (requests.length === 0) lines.push('  It has no books.');
  for (const sentence of sentences) lines.push(indented(sentence, look));

  const count = findings.length;
  const verdict =
    count === 0 ? green('Nothing is wrong.') : red(`${formatPlural(count, 'finding')}:`);
  lines.push('', verdict);
  for (const { sentence } of findings.slice(0, findingsAtMost)) {
    lines.push(indented(sentence, look));
  }
  if (count > findingsAtMost) {
    const rest = formatCount(count - findingsAtMost);
    lines.push(indented(`… and ${rest} more: --json has all of them.`, look));
  }

  if (ages.length > 0) {
    lines.push('', 'How far figures moved when their files were fetched again:', '');
    lines.push(tableOfAges(ages, look));
  }
  if (requests.length > 0) lines.push('', ...wrapped(advice.sentence, look));
  return lines;
}

/** A sentence in lines that the terminal has room for, two blanks before each. */
function indented(sentence: string, { width = Number.POSITIVE_INFINITY }: TableLook): string {
  return `  ${wrap(printable(sentence), width - 2).join('\n  ')}`;
}

function wrapped(sentence: string, { width = Number.POSITIVE_INFINITY }: TableLook): string[] {
  return wrap(sentence, width);
}

/** The window of a request's files, their size, and what they add up to. */
function figuresInWords({ since, until, files, rows, bytes, totals }: RequestSummary): string[] {
  const size = [formatPlural(files, 'file'), formatPlural(rows, 'row'), formatBytes(bytes)];
  const sums = Object.entries(totals).map(([metric, sum]) => `${metric} ${groupedText(sum)}`);
  return [`${since.slice(0, 10)} … ${until.slice(0, 10)}: ${size.join(', ')}`, sums.join(', ')];
}

/** A line of the table of ages: one age, or several neighbouring ones at which nothing moved. */
interface AgeLine {
  readonly days: string;
  readonly refetched: number;
  /** The leading metric: how far it moved in the mean, and at most. */
  readonly lead: string;
  /** The metric that moved most, and how far. */
  readonly most: string;
}

/** The ages, with the figure that a reader looks for first and the one that moved most; `--json` has all of them. */
function tableOfAges(ages: readonly AgeOfReports[], look: TableLook): string {
  const metrics = new Set(ages.flatMap(({ movements }) => Object.keys(movements)));
  const lead = leadingFirst(figuresOf([...metrics])).leading[0]?.field ?? '';

  const columns: TextColumn<AgeLine>[] = [
    { name: 'days after', value: ({ days }) => days, keep: true },
    { name: 'fetched again', value: ({ refetched }) => refetched, keep: true },
    { name: `${lead}: mean, most`, value: (line) => line.lead, keep: true },
    { name: 'moved most', value: ({ most }) => most, keep: true },
  ];
  return textTable(linesOfAges(ages, lead), columns, look).trimEnd();
}

function linesOfAges(ages: readonly AgeOfReports[], lead: string): AgeLine[] {
  const lastMoving = ages.findLastIndex(({ movements }) => mostOf(movements).most > 0);
  const lines = ages.slice(0, lastMoving + 1).map(({ ageDays, refetched, movements }): AgeLine => {
    const { metric, most } = mostOf(movements);
    const movement = movements[lead];
    return {
      days: String(ageDays),
      refetched,
      lead: movement ? `${percent(movement.mean)}, ${percent(movement.most)}` : '',
      most: most > 0 ? `${metric} ${percent(most)}` : 'nothing',
    };
  });

  const still = ages.slice(lastMoving + 1);
  const first = still[0]?.ageDays;
  const last = still.at(-1)?.ageDays;
  if (first === undefined || last === undefined) return lines;

  let refetched = 0;
  for (const age of still) refetched += age.refetched;
  const days = first === last ? String(first) : `${first} to ${last}`;
  return [...lines, { days, refetched, lead: '', most: 'nothing' }];
}

/** The metric that moved most. */
function mostOf(movements: AgeOfReports['movements']): { metric: string; most: number } {
  let greatest = { metric: '', most: 0 };
  for (const [metric, { most }] of Object.entries(movements)) {
    if (most > greatest.most) greatest = { metric, most };
  }
  return greatest;
}

function percent(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}
