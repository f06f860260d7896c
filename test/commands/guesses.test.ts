import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** First attempts of newcomers, with the correction in the message. It is Friday, 2026-11-20. */

const day = 'run --period yesterday';

test.each([
  { line: 'run last-month', says: 'If “last-month” is a period, pass it with --period.' },
  { line: 'run weekly', says: /adreport init.*\n.*take no spaces/ },
  {
    line: 'run --period 2026-10-01 2026-10-31',
    says: 'take no spaces: --period 2026-10-01..2026-10-31',
  },
  { line: 'run --by DAILY, CAMPAIGN', says: 'take no spaces' },
  { line: `${day} -o "my report.xls"`, says: 'Did you mean xlsx?' },
  { line: 'run --period 2027-01', says: 'The period has not begun: it begins at 2027-01-01T00' },
  { line: 'report create --since 2026-12-01 --until 2026-12-31', says: 'has not begun' },
])('$line → $says', async ({ line, says }) => {
  const refused = await runCli(line, { platform: 'linux' });
  expectRefusal(refused, 2, says);
});

test('a saved report may have the name of a period', async () => {
  const { run, cwd } = await serveForTest({ delayMs: 0 });
  writeFileSync(join(cwd, 'adreport.yaml'), 'reports:\n  today:\n    period: 2026-10-01\n');
  expect(await run('run today --dry-run')).toMatchObject({ exitCode: 0 });
  expectRefusal(
    await run('run last-month'),
    2,
    'If “last-month” is a period, pass it with --period.',
  );
});
