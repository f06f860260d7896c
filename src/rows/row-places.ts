/** Rows from which on their lines are further ahead. */
interface Shift {
  readonly row: number;
  readonly linesAhead: number;
}

/** The places of rows in a file, for messages: the line of a CSV, else the number of the row. */
export class RowPlaces {
  readonly #shifts: Shift[] = [];
  #linesAhead = 0;

  /** Says that there are further lines before a row, counted from 1: only a CSV has lines. */
  addLinesBefore(row: number, count: number): void {
    this.#linesAhead += count;
    this.#shifts.push({ row, linesAhead: this.#linesAhead });
  }

  /** `line 3` or `row 2`. */
  nameOf(row: number): string {
    const shift = this.#shifts.findLast((each) => each.row <= row);
    return shift ? `line ${row + shift.linesAhead}` : `row ${row}`;
  }
}
