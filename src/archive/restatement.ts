import { dayOf } from '../contract/values.ts';
import { offsetAt } from '../report/window.ts';
import type { FileLine, OrderLine } from './forms.ts';
import type { Totals } from './line.ts';
import { createdAt } from './series.ts';

/**
 * How far a metric moved at an age, over the files that were fetched again at that age: fractions,
 * 0.018 is 1.8 %.
 */
interface Movement {
  readonly mean: number;
  readonly most: number;
}

/** What was seen of the files that were fetched again a number of days after their unit. */
export interface AgeOfReports {
  /**
   * Whole days from the last day of the unit to the day on which its report was created;
   * yesterday's has the age 1.
   */
  readonly ageDays: number;

  /** How many files were fetched again at this age. */
  readonly refetched: number;
  readonly movements: Readonly<Record<string, Movement>>;
}

/** What the books say about how far a cron line should look back. */
export interface LookbackAdvice {
  /** The value for `--lookback`; absent where the books do not tell it yet. */
  readonly lookback?: number;

  /** The age after which nothing moved more than 0.1 %; absent as `lookback`. */
  readonly settledAfterDays?: number;

  /** A whole sentence that says what follows; absent as `lookback`. */
  readonly sentence?: string;
}

const secondsPerDay = 86_400;

/** A metric that moves less than this from one fetch to the next counts as settled. */
const negligible = 0.001;

/**
 * So many files must have been fetched again at greater ages before their rest counts as a rule.
 */
const filesToBeSure = 3;

/** The line of a file that the next one is compared with. */
interface EarlierLine {
  readonly content: string;
  readonly until: string;
  readonly created: string;
  readonly totals: Totals;
}

class AgeSums {
  refetched = 0;
  readonly #sums = new Map<string, { sum: number; most: number; count: number }>();

  add(before: Totals, now: Totals): void {
    this.refetched += 1;

    for (const [metric, value] of Object.entries(now)) {
      const old = Object.hasOwn(before, metric) ? before[metric] : undefined;
      if (old === undefined) continue;

      const movement = movementBetween(Number(old), Number(value));
      const sums = this.#sums.get(metric) ?? { sum: 0, most: 0, count: 0 };
      sums.sum += movement;
      sums.count += 1;
      sums.most = Math.max(sums.most, movement);
      this.#sums.set(metric, sums);
    }
  }

  get most(): number {
    return Math.max(0, ...[...this.#sums.values()].map((sums) => sums.most));
  }

  get movements(): Record<string, Movement> {
    const movements: Record<string, Movement> = {};
    for (const [metric, { sum, most, count }] of this.#sums) {
      movements[metric] = { mean: sum / count, most };
    }
    return movements;
  }
}

/**
 * Learns from the lines of books how long the figures of a day still move: conversions arrive late,
 * and the service restates its days. Only lines of one file, one content and one whole unit are
 * compared.
 */
export class RestatementHistory {
  readonly #earlier = new Map<string, EarlierLine>();
  readonly #ages = new Map<number, AgeSums>();
  #longestUnitDays = 1;

  /**
   * Takes over a line of the books; the lines of a file come in the order in which they were
   * written.
   */
  observe(line: FileLine, order: OrderLine | undefined): void {
    if (!order || line.kept) return;
    const { file, until, created, totals } = line;
    const { content } = order;
    const firstDay = dayOf(line.since.slice(0, 10));
    const lastDay = dayOf(until.slice(0, 10));
    if (firstDay === undefined || lastDay === undefined) return;
    const ageDays = creationDay(line, order.timezone) - lastDay;

    if (ageDays < 1) {
      // Its unit was not over: the next fetch will hold more days, and not other figures.
      this.#earlier.delete(file);
      return;
    }

    const earlier = this.#earlier.get(file);
    const isSameReport = earlier?.content === content && earlier.until === until;
    if (earlier && isSameReport && earlier.created < created) {
      const sums = this.#ages.get(ageDays) ?? new AgeSums();
      sums.add(earlier.totals, totals);
      this.#ages.set(ageDays, sums);
    }

    this.#longestUnitDays = Math.max(this.#longestUnitDays, lastDay - firstDay + 1);
    this.#earlier.set(file, { content, until, created, totals });
  }

  /** What was seen at each age, the youngest first. */
  get ages(): AgeOfReports[] {
    const ages = [...this.#ages].sort(([age], [other]) => age - other);
    return ages.map(([ageDays, { refetched, movements }]) => ({ ageDays, refetched, movements }));
  }

  /** What follows for `--lookback`, from these books alone. */
  get advice(): LookbackAdvice {
    const ages = [...this.#ages].sort(([age], [other]) => age - other);
    const moving = ages.filter(([, sums]) => sums.most > negligible);
    const settledAfterDays = moving.at(-1)?.[0] ?? 0;

    let laterFiles = 0;
    for (const [age, sums] of ages) {
      if (age > settledAfterDays) laterFiles += sums.refetched;
    }
    if (laterFiles < filesToBeSure) return {};

    const lookback = this.#lookbackFor(settledAfterDays);
    const rest =
      settledAfterDays === 0
        ? 'Nothing moved more than 0.1 % when it was fetched again'
        : `Nothing moved more than 0.1 % later than ${formatDays(settledAfterDays)} after its unit`;
    return { lookback, settledAfterDays, sentence: `${rest}: --lookback ${lookback} is enough.` };
  }

  /**
   * The units after its own for which a file is to be fetched again, so that the last fetch has
   * that age in days.
   */
  #lookbackFor(ageDays: number): number {
    return Math.ceil(Math.max(0, ageDays - 1) / this.#longestUnitDays);
  }
}

/** The day on which the report of a line was created, in the report's zone, counted from 1970. */
function creationDay(line: FileLine, timezone: string): number {
  const seconds = createdAt(line);
  return Math.floor((seconds + offsetAt(seconds, timezone)) / secondsPerDay);
}

/** How far a value moved, as a fraction of what it was; from nothing to something is a whole. */
function movementBetween(before: number, now: number): number {
  if (before === now) return 0;
  if (before === 0) return 1;

  return Math.abs(now - before) / Math.abs(before);
}

function formatDays(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}
