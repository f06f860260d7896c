import { tableLook } from '../../../app/output/output-flags.ts';
import { nameSettings } from '../../../config/named-settings.ts';
import type { Context } from '../../../context.ts';
import { textTable } from '../../../output/table/text-table.ts';
import { visibleJson } from '../../../ui/visible-json.ts';
import type { ConfigOptions } from '../../config.ts';

/** Prints every setting with its source, secrets masked; with `--json` an array of `{name, source, from, value}`. */
export async function listConfig(context: Context, _options: ConfigOptions): Promise<void> {
  const settings = nameSettings(await context.settings());
  if (context.flags.json) {
    const rows = settings.map(({ value, ...rest }) => ({ ...rest, value: value ?? null }));
    return context.console.result(visibleJson(rows));
  }
  const columns = [
    { name: 'setting', value: (row: (typeof settings)[number]) => row.name, keep: true },
    { name: 'value', value: (row: (typeof settings)[number]) => row.value, keep: true },
    { name: 'from', value: (row: (typeof settings)[number]) => (row.value === undefined ? 'not set' : row.from) },
  ];
  await context.console.write(textTable(settings, columns, tableLook(context)));
}
