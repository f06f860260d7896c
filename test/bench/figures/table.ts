/** A line of the table that a measurement prints: times, a ratio of times, or memory. */
export interface TableRow {
  readonly name: string;

  /** By the clock; also used for memory. */
  readonly clock: string;

  /** Of the processors. */
  readonly processor?: string;

  /** The goal: `≤ 110 MB`. */
  readonly goal?: string | undefined;
}

export function printHeadings(): void {
  printRow({ name: '', clock: 'clock', processor: 'processor', goal: 'goal' });
}

export function printRow({ name, clock, processor = '', goal = '' }: TableRow): void {
  const cells = [clock, processor, goal].map((cell) => cell.padStart(12));
  console.log(name.padEnd(60) + cells.join(''));
}
