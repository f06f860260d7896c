/** Names rows in messages: by the line of a CSV, else by the number of the row. */
export class RowPlaces {
  readonly #shifts: {
    /** From this row on, lines are further ahead. */
    readonly row: number;
    readonly linesAhead: number;
  }[] = [];
  #linesAhead = 0;

  /** Records that there are further lines before a row, counted from 1: only a CSV has lines. */
  addLinesBefore(row: number, count: number): void {
    this.#linesAhead += count;
    this.#shifts.push({ row, linesAhead: this.#linesAhead });
  }

  /** Returns `line 3` or `row 2`. */
  nameOf(row: number): string {
    const shift = this.#shifts.findLast((shift) => shift.row <= row);
    return shift ? `line ${row + shift.linesAhead}` : `row ${row}`;
  }
}
