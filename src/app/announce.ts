import type { Context } from '../context.ts';
import { fieldTypeOf } from '../contract/columns.ts';
import { reportCard } from '../output/table/report-card.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import { ClosedPipeError, type Console } from '../ui/console.ts';
import type { Comparison } from '../view/figures.ts';
import { Grouping } from '../view/grouping.ts';
import { groupedText } from '../view/numbers.ts';
import type { WrittenReport } from './receive.ts';

type Announcer = Pick<Context, 'console' | 'flags' | 'elapsedMs'>;

/** Says on stderr what was written to a file and shows a person its figures; with `--json` tells it on stdout. */
export async function announce(context: Announcer, report: WrittenReport): Promise<void> {
  if (report.file === undefined) return;
  await tellAsJson(context, report);
  sayFile(context, report);
  sayChanges(context, report);
  if (report.figures) showCard(context.console, report.figures, report.comparison);
}

/** How many files are named one by one. */
const namedAtMost = 10;

/** Tells of the files of one run as they are written, and of all of them at its end. */
export class RunAnnouncer {
  readonly #context: Announcer;
  readonly #reports: WrittenReport[] = [];

  constructor(context: Announcer) {
    this.#context = context;
  }

  /** Notes an output that was written, and says so while they are few; its figures come together with the others'. */
  async add(report: WrittenReport): Promise<void> {
    if (report.file === undefined) return;
    this.#reports.push(report);
    await tellAsJson(this.#context, report);
    if (this.#reports.length <= namedAtMost) sayFile(this.#context, report);
    sayChanges(this.#context, report);
  }

  /** Says how much the files hold together, where they are too many to be named, or have figures to be added up. */
  sayTogether(isOneReport: boolean): void {
    const { console, elapsedMs } = this.#context;
    const reports = this.#reports;
    if (reports.length <= namedAtMost && this.#figures(isOneReport).length <= 1) return;

    let rowCount = 0;
    let sizeBytes = 0;
    for (const report of reports) {
      rowCount += report.rowCount;
      sizeBytes += report.sizeBytes;
    }
    const files = formatPlural(reports.length, 'file');
    const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
    console.note(`Together ${files}: ${size}, in ${formatDuration(elapsedMs())}.`);
  }

  /** Shows the figures of all files as one card. */
  showTogether(isOneReport: boolean): void {
    const figures = this.#figures(isOneReport);
    if (figures.length === 0) return;

    const together = new Grouping('time');
    for (const each of figures) together.absorb(each);
    showCard(this.#context.console, together);
  }

  /** The figures that can be added up: different reports may count the same displays. */
  #figures(isOneReport: boolean): Grouping[] {
    if (!isOneReport) return [];
    return this.#reports.flatMap(({ figures }) => figures ?? []);
  }
}

async function tellAsJson({ console, flags }: Announcer, written: WrittenReport): Promise<void> {
  if (!flags.json) return;
  const facts = visibleJson({
    file: written.file,
    report: written.label?.report ?? null,
    account: written.label?.account ?? null,
    rows: written.rowCount,
    bytes: written.sizeBytes,
    sha256: written.sha256,
    key: written.key,
    reportId: written.reportId,
    since: written.since,
    until: written.until,
    warnings: written.warnings,
    changed: written.changes ?? null,
  });
  try {
    await console.result(facts);
  } catch (error) {
    // The file stands: nobody reads of it any more, and the others are still to be written.
    if (!(error instanceof ClosedPipeError)) throw error;
  }
}

/** Says which totals of a file are not what they were: `2026-11-19 changed: downloads 40 → 43`. */
function sayChanges({ console }: Announcer, { since, changes, label }: WrittenReport): void {
  if (!changes) return;

  const texts: string[] = [];
  for (const [metric, [before, after]] of Object.entries(changes)) {
    const values = `${metric} ${groupedText(before)} → ${groupedText(after)}`;
    const isMoney = fieldTypeOf(metric) === 'money';
    texts.push(isMoney ? `${values} (${percentOf(before, after)})` : values);
  }
  const day = since?.slice(0, 10);
  const subject = label?.job === undefined ? day : `${label.job} ${day}`;
  console.note(`${subject} changed: ${texts.join(', ')}`);
}

function percentOf(before: string, after: string): string {
  if (Number(before) === 0) return 'new';

  const percent = (100 * (Number(after) - Number(before))) / Math.abs(Number(before));
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

function sayFile({ console, elapsedMs }: Announcer, report: WrittenReport): void {
  const size = `${formatPlural(report.rowCount, 'row')}, ${formatBytes(report.sizeBytes)}`;
  console.note(`Wrote ${report.file}: ${size}, in ${formatDuration(elapsedMs())}.`);
}

/** Shows the figures of what was written as a card on stderr, as wide as the terminal there. */
function showCard(console: Console, figures: Grouping, comparison?: Comparison): void {
  const { width, style, showsUnicode } = console.err;
  const lines = reportCard(figures, { width, style, unicode: showsUnicode }, { comparison });
  for (const line of lines) console.note(line);
}
