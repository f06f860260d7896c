/** Formats row positions for messages: the line in a CSV, the row number in other files. */
export class RowPositions {
  readonly #shifts: {
    /** First row that is this many lines ahead. */
    readonly row: number;
    readonly linesAhead: number;
  }[] = [];
  #linesAhead = 0;

  /** Records lines before a row of a CSV. Row numbers are 1-based. */
  addLinesBefore(row: number, count: number): void {
    this.#linesAhead += count;
    this.#shifts.push({ row, linesAhead: this.#linesAhead });
  }

  /** Returns `line 3` or `row 2`. */
  positionOf(row: number): string {
    const shift = this.#shifts.findLast((shift) => shift.row <= row);
    return shift ? `line ${row + shift.linesAhead}` : `row ${row}`;
  }
}
