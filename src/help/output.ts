import { placeholders } from '../output/file/file-name.ts';
import { formatNames, formats } from '../output/formats/index.ts';
import type { Block } from '../ui/page.ts';

const placeholderMeanings: { readonly [Name in (typeof placeholders)[number]]: string } = {
  profile: 'buyer or dsp',
  report: 'the name of a saved report, else what it is broken down by',
  since: 'first day of the window',
  until: 'last day of the window',
  date: 'the day of a part of --split: one file a part',
  id: 'the report id',
};

/** Where a report goes, in which format, and what else is written where. */
export function writeTopic(): readonly Block[] {
  return [
    `-o FILE writes a file, -o - or no -o standard output. The format is that of --format, else of the file’s ending, else a
    table on a terminal and CSV in a pipe.`,
    { heading: 'Formats' },
    {
      terms: formatNames.map((name) => [
        name,
        `${formats[name].meaning} (${formats[name].endings.map((ending) => `.${ending}`).join(', ')})`,
      ]),
    },
    { heading: 'Placeholders in -o' },
    { terms: placeholders.map((name) => [`{${name}}`, placeholderMeanings[name]]) },
    `A file is written beside its target and renamed once it is whole: a reader sees the old file or the new one, never a
    part, and on any failure the old one is untouched. --no-clobber refuses to replace one.`,
    { heading: 'CSV' },
    {
      terms: [
        ['--excel', 'what a European Excel opens: semicolons, decimal commas, a byte order mark'],
        ['--delimiter, --decimal, --bom', 'the same one by one; a flag beside --excel overrides its part'],
        ['--escape-formulas', 'cells that a spreadsheet would run are defused'],
        ['--normalize', 'decimal points, and revenueDollar in both profiles; for JSON too'],
      ],
    },
    { heading: 'Streams' },
    `Standard output carries results only; progress, hints, warnings and errors go to standard error. -q silences all but
    errors, -v traces calls, --json makes errors one line of JSON. A closed pipe ends quietly. Names that come from the
    service are printed with control characters made visible.`,
    { heading: 'Examples' },
    {
      examples: [
        ['adreport run --local --period last-week --by DAILY -o week.csv --excel', 'a file for people'],
        ["adreport run --local --period yesterday --by CAMPAIGN -o '{profile}-{date}.json'", 'a name with its day'],
        ['adreport run --local --period yesterday --by OS --format ndjson | head -3', 'into a program'],
      ],
    },
  ];
}
