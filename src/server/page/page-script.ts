/** The script of the page at `GET /`. What it shows of the data it sets as text, never as HTML. */
export const pageScript = `
'use strict';
const all = (selector) => [...document.querySelectorAll(selector)];
for (const button of all('[data-account]')) {
  button.addEventListener('click', () => {
    for (const other of all('[data-account]')) other.setAttribute('aria-pressed', String(other === button));
    for (const list of all('[data-calls]')) list.hidden = list.dataset.calls !== button.dataset.account;
  });
}
for (const button of all('.copy')) {
  button.addEventListener('click', async () => {
    const line = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(line.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(line);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
const table = document.querySelector('#reports');
const none = document.querySelector('#none');
const noneYet = none.textContent;
const cell = (text, className) => Object.assign(document.createElement('td'), { textContent: text, className });
function row(report) {
  const line = document.createElement('tr');
  const breakdowns = report.request.breakdowns.join(', ') || 'none';
  line.append(
    cell(report.report_id, ''),
    cell(report.account, ''),
    cell(report.status, 's ' + report.status),
    cell(report.created.slice(0, 19).replace('T', ' '), ''),
    cell(breakdowns, ''),
  );
  return line;
}
let shown = '';
async function poll() {
  try {
    const text = await (await fetch('__admin/reports')).text();
    if (text !== shown) {
      shown = text;
      const reports = JSON.parse(text).reports.slice(-20).reverse();
      table.tBodies[0].replaceChildren(...reports.map(row));
      table.hidden = reports.length === 0;
      none.hidden = reports.length > 0;
      none.textContent = noneYet;
    }
  } catch {
    shown = '';
    none.hidden = false;
    none.textContent = 'The server does not answer.';
  }
}
poll();
setInterval(() => { if (!document.hidden) poll(); }, 1000);
`;
