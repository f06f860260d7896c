import type { EmbeddedTable } from '../embedded-table.ts';
import { showChartTips } from './chart-tip.ts';
import { TableControls } from './table-controls.ts';

/**
 * Script of a page: sorts, filters and pages its tables, and shows chart values next to the
 * pointer. The page is complete without it. Text of the report is only ever set as text
 * (`textContent`), and only visible rows become elements.
 */

const data = document.getElementById('data');
const tables: readonly EmbeddedTable[] = JSON.parse(data?.textContent ?? '[]');
const sections = document.querySelectorAll<HTMLElement>('section.rows');
const controls: TableControls[] = [];
for (const [i, section] of sections.entries()) {
  const table = tables[i];
  if (table) controls.push(new TableControls(section, table));
}
for (const control of controls) control.begin();

const filter = document.querySelector<HTMLInputElement>('#filter');
filter?.closest('p')?.removeAttribute('hidden');
filter?.addEventListener('input', () => {
  for (const control of controls) control.filter(filter.value);
});
showChartTips();
