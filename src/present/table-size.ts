/** Number of rows that a table shows at once, and prints. A phone shows fewer. */
export const maxTableRows = 300;
export const maxPhoneRows = 25;
