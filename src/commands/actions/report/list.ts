import { tableLook } from '../../../app/output/output-flags.ts';
import type { Context } from '../../../context.ts';
import { type TextColumn, textTable } from '../../../output/table/text-table.ts';
import type { LedgerEntry } from '../../../report/ledger.ts';
import { visibleJson } from '../../../ui/visible-json.ts';
import type { GlobalFlags } from '../../flags.ts';

const columns: readonly TextColumn<LedgerEntry>[] = [
  { name: 'id', value: (entry) => entry.id, keep: true },
  { name: 'created', value: (entry) => `${entry.createdAt.slice(0, 16).replace('T', ' ')}Z` },
  { name: 'profile', value: (entry) => entry.profile },
  { name: 'since', value: (entry) => entry.window.since.slice(0, 16).replace('T', ' ') },
  { name: 'until', value: (entry) => entry.window.until.slice(0, 16).replace('T', ' ') },
  { name: 'by', value: (entry) => entry.request.breakdowns.join(',') },
  { name: 'status', value: (entry) => entry.lastStatus, keep: true },
  { name: 'file', value: (entry) => entry.file },
];

/** Prints the ledger, newest first. */
export async function listReports(context: Context, _options: GlobalFlags): Promise<void> {
  const entries = (await context.ledger())?.list() ?? [];
  if (context.flags.json) return context.console.result(visibleJson(entries));
  if (entries.length === 0) {
    context.console.note('No report was created on this machine yet. Create one with: adreport run');
    return;
  }
  await context.console.write(textTable(entries, columns, tableLook(context)));
}
