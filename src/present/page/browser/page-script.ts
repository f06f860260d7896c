import { showChartTips } from './chart-tip.ts';
import { makeSortable } from './sort-table.ts';

/**
 * Sorts the tables of a page and shows chart values under the pointer. The page is complete without
 * this script.
 */
for (const table of document.querySelectorAll('table')) makeSortable(table);
showChartTips();
