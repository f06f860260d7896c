import { columnsOf } from '../../contract/columns.ts';
import { dayOf, momentOf, numberTextOf } from '../../contract/values.ts';
import { breakdowns } from '../../contract/vocabulary.ts';
import type { JsonObject } from '../../text/json-object.ts';
import { type TrialOutcome, TrialSkipped } from './trial.ts';
import {
  hasSameWallTime,
  isIsoWithOffset,
  isMetricValue,
  receivedText,
  summaryWindowText,
} from './trial-answers.ts';
import type { TriedService } from './tried-service.ts';

// Trials that need only the report by DAILY.

/** The window of a summary, in seconds since 1970. */
interface SummaryWindow {
  readonly since: number;
  readonly until: number;
}

/** The window in a summary; `undefined` if it is not written as described. */
function windowIn({ since, until }: JsonObject): SummaryWindow | undefined {
  const isWritten = isIsoWithOffset(String(since)) && isIsoWithOffset(String(until));
  const sinceMs = momentOf(String(since))?.instantMs;
  const untilMs = momentOf(String(until))?.instantMs;
  if (!isWritten || sinceMs === undefined || untilMs === undefined) return undefined;
  return { since: sinceMs / 1_000, until: untilMs / 1_000 };
}

/** For each window clock, true if the summary's window is the requested one by this clock. */
async function clocksOf(service: TriedService): Promise<Record<'instant' | 'wall', boolean>> {
  const { summary } = await service.days();
  const { since, until } = service.requestOf('days');
  const window = windowIn(summary);
  return {
    instant: window?.since === since && window.until === until,
    wall:
      hasSameWallTime(since, String(summary.since)) &&
      hasSameWallTime(until, String(summary.until)),
  };
}

export async function tryWindowForm(service: TriedService): Promise<TrialOutcome> {
  const { summary } = await service.days();
  const { instant, wall } = await clocksOf(service);
  const isHeld = windowIn(summary) !== undefined && (instant || wall);
  return isHeld || summaryWindowText(summary.since, summary.until);
}

export async function tryWindowClock(service: TriedService): Promise<TrialOutcome> {
  const { summary } = await service.days();
  if (!windowIn(summary)) {
    throw new TrialSkipped('the summary does not state the window');
  }

  const clocks = await clocksOf(service);
  const { windowClock } = service.settings;
  if (clocks[windowClock]) return true;

  const otherClock = windowClock === 'wall' ? 'instant' : 'wall';
  const names = { instant: 'instants', wall: 'wall times' };
  return clocks[otherClock]
    ? `it reads since and until as ${names[otherClock]}: adreport config set window-clock ${otherClock}`
    : `the report covers a different window: ${summaryWindowText(summary.since, summary.until)}`;
}

export async function tryBreakdowns(service: TriedService): Promise<TrialOutcome> {
  const { summary } = await service.days();
  const { breakdowns: echoed } = summary;
  const wanted = service.requestOf('days').breakdowns.join();
  const isEchoed = Array.isArray(echoed) && echoed.join() === wanted;
  return isEchoed || `breakdowns in the summary are ${receivedText(echoed)}`;
}

export async function tryTimezone(service: TriedService): Promise<TrialOutcome> {
  const { timezone } = (await service.days()).summary;
  return timezone === 'europe/paris' || `timezone in the summary is ${receivedText(timezone)}`;
}

export async function tryMetrics(service: TriedService): Promise<TrialOutcome> {
  const { rows } = await service.daysWithRows();
  const columns = columnsOf(service.settings.profile, service.requestOf('days'));
  const sentences: string[] = [];

  for (const { field, type, metric } of columns) {
    // S18 covers the field of the dollars.
    if (metric === undefined || field === 'valueDollar') continue;
    const wrong = rows.find((row) => !isMetricValue(row[field], type));
    if (!wrong) continue;
    sentences.push(`${field} is ${receivedText(wrong[field])}`);
  }
  return sentences.length === 0 || `in a row ${sentences.join(', ')}`;
}

export async function tryDollars(service: TriedService): Promise<TrialOutcome> {
  const { rows } = await service.daysWithRows();
  const hasDollars = rows.every((row) => numberTextOf(row.valueDollar) !== undefined);
  const names = Object.keys(rows[0] ?? {}).filter((name) => /dollar/i.test(name));
  return hasDollars || `the rows have ${names.join(', ') || 'no revenue in dollars'}`;
}

export async function tryMoneyTexts(service: TriedService): Promise<TrialOutcome> {
  const { rows } = await service.daysWithRows();
  const money = rows.flatMap(({ revenueEuro, revenueDollar }) => [revenueEuro, revenueDollar]);
  const other = money.findIndex((value) => !/^-?\d+,\d\d$/.test(String(value)));
  return other === -1 || `the revenue is ${receivedText(money[other])}`;
}

export async function tryNulls(service: TriedService): Promise<TrialOutcome> {
  const { rows } = await service.daysWithRows();
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
  if (filled.length > 0) sentences.push(`not null: ${filled.join(', ')}`);
  if (absent.length > 0) sentences.push(`missing: ${absent.join(', ')}`);
  return sentences.length === 0 || sentences.join('; ');
}

export async function tryDates(service: TriedService): Promise<TrialOutcome> {
  const { rows, summary } = await service.daysWithRows();
  const undated = rows.find(({ date }) => typeof date !== 'string' || dayOf(date) === undefined);
  if (undated) return `the date of a row is ${receivedText(undated.date)}`;

  const dates = new Set(rows.map(({ date }) => date));
  if (dates.size < rows.length) {
    return `${rows.length} rows have ${dates.size} different dates`;
  }

  const first = String(summary.since).slice(0, 10);
  const last = String(summary.until).slice(0, 10);
  const hasWindow = dayOf(first) !== undefined && dayOf(last) !== undefined;
  if (!hasWindow) return true;

  const outside = rows.filter(({ date }) => String(date) < first || String(date) > last);
  const isHeld = outside.length === 0;
  return isHeld || `${outside.length} of ${rows.length} rows are dated outside the window`;
}
