import { columnsOf } from '../../contract/columns.ts';
import type { ReportRequest, WindowClock } from '../../contract/messages.ts';
import type { StatementId } from '../../contract/statements.ts';
import { dayOf, momentOf, numberTextOf } from '../../contract/values.ts';
import { breakdowns, type Profile } from '../../contract/vocabulary.ts';
import {
  formatOf,
  isIsoWithOffset,
  isMetricValue,
  isSameWall,
  type JsonObject,
  type ReportDocument,
  summaryWindowText,
} from './answers.ts';
import type { Verdicts } from './verdicts.ts';

/** What a report is held against. */
export interface DocumentQuestion {
  readonly profile: Profile;
  readonly request: ReportRequest;
  /** How the service is thought to have read the window of the request. */
  readonly windowClock: WindowClock;
}

/** The statements about one report by DAILY alone, which need no further call. */
export class DocumentTrials {
  readonly #verdicts: Verdicts;
  readonly #question: DocumentQuestion;

  constructor(verdicts: Verdicts, question: DocumentQuestion) {
    this.#verdicts = verdicts;
    this.#question = question;
  }

  judge(document: ReportDocument): void {
    this.#judgeWindow(document.summary);
    this.#judgeSummary(document.summary);

    if (document.rows.length === 0) {
      const ofBuyer: StatementId[] = ['S17', 'S18', 'S21', 'S34'];
      const ofDsp: StatementId[] = ['S17', 'S20', 'S21'];
      const ids = this.#isBuyer ? ofBuyer : ofDsp;
      for (const id of ids) this.#verdicts.skip(id, 'there are no rows in those days');
      return;
    }

    this.#judgeMetrics(document.rows);
    this.#judgeDates(document);
    if (this.#isBuyer) {
      this.#judgeDollars(document.rows);
      this.#judgeNulls(document.rows);
    } else {
      this.#judgeMoneyTexts(document.rows);
    }
  }

  get #isBuyer(): boolean {
    return this.#question.profile === 'buyer';
  }

  /** The window in the summary: whether it is written as described, and which clock the service reads. */
  #judgeWindow(summary: JsonObject): void {
    const { request, windowClock } = this.#question;
    const { since, until } = summary;
    const came = summaryWindowText(since, until);
    const sinceMs = momentOf(String(since))?.instantMs;
    const untilMs = momentOf(String(until))?.instantMs;

    const isWritten = isIsoWithOffset(String(since)) && isIsoWithOffset(String(until));
    if (!isWritten || sinceMs === undefined || untilMs === undefined) {
      this.#verdicts.differs('S13', came);
      this.#verdicts.skip('S33', 'the summary does not say which window the report covers');
      return;
    }

    const isInstant = sinceMs / 1_000 === request.since && untilMs / 1_000 === request.until;
    const isWall =
      isSameWall(request.since, String(since)) && isSameWall(request.until, String(until));
    this.#verdicts.judge('S13', isInstant || isWall, came);

    const isAsSet = windowClock === 'wall' ? isWall : isInstant;
    const isOther = windowClock === 'wall' ? isInstant : isWall;
    const otherClock = windowClock === 'wall' ? 'instant' : 'wall';
    const clocks = { instant: 'instants', wall: 'wall times' };
    const advice = isOther
      ? `it reads ${clocks[otherClock]}: adreport config set window-clock ${otherClock}`
      : `it covers another window: ${came}`;
    this.#verdicts.judge('S33', isAsSet, advice);
  }

  #judgeSummary({ breakdowns: echoed, timezone }: JsonObject): void {
    const wanted = this.#question.request.breakdowns.join();
    const isEchoed = Array.isArray(echoed) && echoed.join() === wanted;
    this.#verdicts.judge('S16', isEchoed, `the summary has ${formatOf(echoed)} for breakdowns`);

    if (this.#isBuyer) {
      const said = `the summary has ${formatOf(timezone)} for timezone`;
      this.#verdicts.judge('S14', timezone === 'europe/paris', said);
    }
  }

  #judgeMetrics(rows: readonly JsonObject[]): void {
    const { profile, request } = this.#question;
    const faults: string[] = [];

    for (const { field, type, metric } of columnsOf(profile, request)) {
      // The field of the dollars has a statement of its own.
      if (metric === undefined || field === 'valueDollar') continue;
      const wrong = rows.find((row) => !isMetricValue(row[field], type));
      if (!wrong) continue;
      const fault = wrong[field] === undefined ? 'absent' : formatOf(wrong[field]);
      faults.push(`${field} is ${fault}`);
    }
    this.#verdicts.judge('S17', faults.length === 0, `in a row ${faults.join(', ')}`);
  }

  #judgeDollars(rows: readonly JsonObject[]): void {
    const hasDollars = rows.every((row) => numberTextOf(row.valueDollar) !== undefined);
    const names = Object.keys(rows[0] ?? {}).filter((name) => /dollar/i.test(name));
    this.#verdicts.judge('S18', hasDollars, `the rows have ${names.join(', ') || 'no dollars'}`);
  }

  #judgeMoneyTexts(rows: readonly JsonObject[]): void {
    const money = rows.flatMap(({ revenueEuro, revenueDollar }) => [revenueEuro, revenueDollar]);
    const other = money.findIndex((value) => !/^-?\d+,\d\d$/.test(String(value)));
    this.#verdicts.judge('S20', other === -1, `the revenue is ${formatOf(money[other])}`);
  }

  #judgeNulls(rows: readonly JsonObject[]): void {
    const absent: string[] = [];
    const filled: string[] = [];
    for (const { time, onlyWhenAsked, fields } of breakdowns) {
      if (time || onlyWhenAsked) continue;
      for (const { name } of fields) {
        if (rows.some((row) => !(name in row))) absent.push(name);
        else if (rows.some((row) => row[name] !== null)) filled.push(name);
      }
    }

    const sentences: string[] = [];
    if (filled.length > 0) sentences.push(`they have values: ${filled.join(', ')}`);
    if (absent.length > 0) sentences.push(`they are absent: ${absent.join(', ')}`);
    this.#verdicts.judge('S34', sentences.length === 0, sentences.join('; '));
  }

  #judgeDates({ rows, summary }: ReportDocument): void {
    const first = String(summary.since).slice(0, 10);
    const last = String(summary.until).slice(0, 10);
    const hasWindow = dayOf(first) !== undefined && dayOf(last) !== undefined;

    const undated = rows.find(({ date }) => typeof date !== 'string' || dayOf(date) === undefined);
    if (undated) {
      this.#verdicts.differs('S21', `a row has ${formatOf(undated.date)} for a date`);
      return;
    }

    const dates = new Set(rows.map(({ date }) => date));
    if (dates.size < rows.length) {
      this.#verdicts.differs('S21', `${rows.length} rows have ${dates.size} different dates`);
      return;
    }

    const isOutside = (date: string): boolean => hasWindow && (date < first || date > last);
    const outside = rows.filter(({ date }) => isOutside(String(date)));
    const said = `${outside.length} of ${rows.length} rows are dated outside the window`;
    this.#verdicts.judge('S21', outside.length === 0, said);
  }
}
