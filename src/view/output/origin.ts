import { keyOf, metricOfField } from '../../contract/columns.ts';
import type { Figure } from '../../figures/figures.ts';
import type { Provenance } from '../../output/provenance.ts';
import { filtersInWords } from '../../report/filter-words.ts';
import { breakdownNames, sentBreakdowns, type ViewAnswer } from '../answer/answer.ts';
import { columnFigures } from '../answer/shown-figures.ts';
import type { View } from '../view.ts';
import type { ViewTools } from '../view-tools.ts';

/** The origin of a view: the request of its files, without the account. */
export function provenanceOf(
  { version }: ViewTools,
  view: View,
  { breakdowns }: Pick<ViewAnswer, 'breakdowns'>,
): Provenance {
  const { sources, options, collected } = view;
  const { spec, files } = sources;
  const figures = columnFigures(view);
  const by = breakdownNames(breakdowns);
  const typed = (options.filter ?? []).map(({ name, values }) => `${name}: ${values.join(', ')}`);
  const sent = sentBreakdowns(breakdowns);
  const fetched = files.flatMap(({ entry }) => (entry ? [Date.parse(entry.line.fetched)] : []));
  return {
    request: spec ? { ...spec.request, breakdowns: by, metrics: figures.map(metricName) } : null,
    filters: [...filtersInWords(spec?.request.filters ?? {}), ...typed],
    key: sent ? keyOf(sent) : (collected.keys ?? []).map(({ field }) => field),
    reportId: null,
    fetchedMs:
      fetched.length === files.length && fetched.length > 0 ? Math.max(...fetched) : undefined,
    version,
  };
}

function metricName({ field }: Figure): string {
  return metricOfField(field)?.name ?? field;
}
