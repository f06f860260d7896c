import type { CalendarUnit } from '../query/calendar.ts';
import { expandName } from '../query/file-name.ts';

/** File names of a folder, such as `date={date}/part.csv`. */
export interface FilePattern {
  /**
   * Returns the path of the file for a day, week or month, relative to the folder and with slashes.
   */
  readonly nameFor: (unit: Pick<CalendarUnit, 'firstDay' | 'lastDay'>) => string;

  /** Returns a day that the file covers, or `undefined` if the path does not match the pattern. */
  readonly readDay: (name: string) => string | undefined;

  /** Number of path segments: 2 for `date={date}/part.csv`. */
  readonly depth: number;

  /** Common extension, such as `.parquet` or `.csv.gz`, or empty. */
  readonly ending: string;
}

/** Stand-ins for the placeholders while a name is turned into a pattern. */
const marks = { since: '0000-00-01', until: '0000-00-02', date: '0000-00-03' } as const;

/**
 * Parses the `output` of a folder.
 *
 * @param output value of `-o`, relative to the folder, with at least one date placeholder
 */
export function parsePattern(output: string): FilePattern {
  const pattern = toRegExp(expandName(output, marks));
  const lastSegment = output.slice(output.lastIndexOf('/') + 1);
  return {
    nameFor: ({ firstDay, lastDay }) => {
      return expandName(output, { since: firstDay, until: lastDay, date: firstDay });
    },
    readDay: (name) => {
      const { since, date, until } = pattern.exec(name)?.groups ?? {};
      return since ?? date ?? until;
    },
    depth: output.split('/').length,
    ending: /(\.[A-Za-z]\w*)?(\.gz)?$/.exec(lastSegment)?.[0] ?? '',
  };
}

function toRegExp(markedName: string): RegExp {
  let source = markedName.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  for (const [placeholder, mark] of Object.entries(marks)) {
    // A repeated placeholder must have the same date each time.
    source = source
      .replace(mark, `(?<${placeholder}>\\d{4}-\\d{2}-\\d{2})`)
      .replaceAll(mark, `\\k<${placeholder}>`);
  }
  return new RegExp(`^${source}$`);
}
