import { showChartTips } from './chart-tip.ts';
import { makeSortable } from './sort-table.ts';

/**
 * Script of a page: sorts its tables, and shows chart values next to the pointer. The page is
 * complete without it.
 */
for (const table of document.querySelectorAll('table')) makeSortable(table);
showChartTips();
