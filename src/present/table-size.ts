/** Rows that a table shows at once, and that are printed. A phone shows fewer at once. */
export const mostInTable = 300;
export const mostOnPhone = 25;
