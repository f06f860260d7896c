import { defaultZone } from '../../contract/messages.ts';
import type { MetricName } from '../../contract/vocabulary.ts';
import { byMetric, type FactChunk } from '../fixtures/facts.ts';
import { type Calendar, createCalendar } from './calendar.ts';

/** What is reported late: conversions, and the revenue that hangs on them. */
const restated: readonly MetricName[] = ['downloads', 'leads', 'landings', 'revenueEuro', 'revenueDollar'];

/** Hours of the same age: whole Paris days between theirs and today, from 0 to the days until all is known. */
export interface AgedHours {
  readonly firstHour: number;
  readonly lastHour: number;
  readonly age: number;
}

/**
 * How conversions and revenue become known over `days` days: half of them on the day itself, all of them `days` later.
 * It works on single facts and on Paris days whatever the report's zone, so that every breakdown still adds up.
 */
export class Restatement {
  readonly #days: number;
  readonly #today: number;
  readonly #calendar: Calendar;
  #scratch = byMetric(() => new Float64Array(0));

  /** @param days until all is known; 0 for data that are complete at once */
  constructor(days: number, nowMs: number) {
    this.#days = days;
    this.#calendar = createCalendar(defaultZone);
    this.#today = this.#calendar.localDay(Math.floor(nowMs / 3_600_000));
  }

  /** Cuts hours into stretches of one age. */
  *stretches(firstHour: number, lastHour: number): Generator<AgedHours> {
    let start = firstHour;
    let age = this.#ageOf(firstHour);
    // Ages differ in the last days only; Paris days begin within a day of UTC's.
    const from = Math.max(firstHour + 1, (this.#today - this.#days - 1) * 24);
    const to = Math.min(lastHour, (this.#today + 1) * 24);
    for (let hour = from; hour <= to; hour++) {
      const next = this.#ageOf(hour);
      if (next === age) continue;
      yield { firstHour: start, lastHour: hour - 1, age };
      start = hour;
      age = next;
    }
    yield { firstHour: start, lastHour, age };
  }

  /** The chunk as it is known at an age, in days; its changed columns hold until the next call. */
  known(chunk: FactChunk, age: number): FactChunk {
    const days = this.#days;
    if (age >= days) return chunk;
    const metrics = { ...chunk.metrics };
    for (const name of restated) {
      const values = chunk.metrics[name];
      if (this.#scratch[name].length < chunk.count) this.#scratch[name] = new Float64Array(chunk.count);
      const known = this.#scratch[name];
      for (let row = 0; row < chunk.count; row++) {
        // The displays decide whether the fraction counts: as good as chance, and the same whenever it is asked.
        const dither = (chunk.metrics.displays[row] ?? 0) % (2 * days);
        known[row] = Math.floor(((values[row] ?? 0) * (days + age) + dither) / (2 * days));
      }
      metrics[name] = known;
    }
    return { ...chunk, metrics };
  }

  #ageOf(hour: number): number {
    return Math.min(this.#days, Math.max(0, this.#today - this.#calendar.localDay(hour)));
  }
}
