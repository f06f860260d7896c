import type { EmbeddedTable } from '../embedded-table.ts';
import { showChartTips } from './chart-tip.ts';
import { TableControls } from './table-controls.ts';

/**
 * The script of a page: sorts, filters and pages its table, and shows the values of a chart next to
 * the pointer. The page is complete without it. Text of the report is only ever set as text
 * (`textContent`), and only rows in sight become elements.
 */

const data = document.getElementById('data');
const section = document.querySelector<HTMLElement>('section.rows');
if (data?.textContent && section) {
  const table: EmbeddedTable = JSON.parse(data.textContent);
  new TableControls(section, table).begin();
}
showChartTips();
