import { vocabularyOf } from '../contract/look-up.ts';
import type { Block } from '../ui/page.ts';

/** The filters of the vocabulary, and the flags that find ids by name. */
export function writeTopic(): readonly Block[] {
  const { filters } = vocabularyOf('buyer');
  return [
    `--filter NAME=V1,V2 keeps only the rows with one of these values; several --filter narrow each other. A filter needs
    no breakdown: the sums are of what is kept. DSP reports take none.`,
    { heading: 'Filters, with their breakdowns' },
    {
      terms: filters.map(({ name, meaning, on, compare }) => [
        name,
        `${meaning}${compare === 'text' ? ', in full' : ''} (--by ${on})`,
      ]),
    },
    'Ids are digits. A text that holds a comma stands in double quotes: --filter \'carrier="A, B",C\'.',
    { heading: 'By name' },
    {
      terms: [
        ["--campaign 'Summer*'", 'campaigns of that name; * stands for anything, and case does not matter'],
        ['--ad-unit NAME', 'ad units of that name'],
        ['--advertiser NAME', 'advertisers of that name (admin accounts)'],
      ],
    },
    `Names are looked up in the campaign list, and their ids become filters; a name that nothing has is an error. Names
    given twice add up.`,
    { heading: 'Examples' },
    {
      examples: [
        ['adreport run --local --period yesterday --by CITY --filter countryId=3017382', 'the cities of France'],
        ["adreport run --local --period yesterday --by COUNTRY --campaign 'Puzzle*'", 'campaigns by name'],
        ['adreport fields country', 'what there is about countries'],
      ],
    },
  ];
}
