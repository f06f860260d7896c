import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { readSheet, unzip } from '../present/xlsx-reader.ts';
import { serveForTest } from '../support/service.ts';

/**
 * A file contains the request of its report, so that it can be identified after it was sent or
 * moved.
 */

const line = 'run --period 2026-11-09..2026-11-10 --by DAILY,CAMPAIGN --country FR,DE';

/** The lines of a terminal as one text. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** Reads what adreport wrote into the metadata of a Parquet file. */
async function readNotes(path: string): Promise<Record<string, unknown>> {
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
  const notes = (metadata.key_value_metadata ?? []).map(({ key, value = 'null' }) => {
    return [key.replace('adreport.', ''), JSON.parse(value)];
  });
  return Object.fromEntries(notes);
}

describe('a Parquet file', () => {
  test('has its request, key, id, time and warnings in its metadata', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    // The service reads the window as instants, so its report begins and ends an hour later than
    // requested.
    const flags = '--window-clock wall --campaign * -o x.parquet';
    const { reportId, warnings } = JSON.parse((await run(`${line} ${flags} --json`)).stdout);

    expect(warnings).not.toEqual([]);
    expect(await readNotes(join(cwd, 'x.parquet'))).toMatchObject({
      summary: { breakdowns: ['DAILY', 'CAMPAIGN'] },
      request: {
        profile: 'buyer',
        breakdowns: ['DAILY', 'CAMPAIGN'],
        filters: { countryId: ['3017382', '2921044'], campaign: ['*'] },
      },
      key: ['date', 'campaignId'],
      reportId,
      fetchedAt: expect.stringMatching(/^2026-11-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      warnings: expect.arrayContaining([expect.stringContaining('covers a different period')]),
    });
  });

  test('of a report with an unknown request has none', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const elsewhere = { env: { ADREPORT_CONFIG_DIR: '/nowhere' } };
    const id = (await run('report create --period yesterday --by OS', elsewhere)).stdout.trim();

    await run(`download ${id} -o x.parquet -q`);

    const notes = await readNotes(join(cwd, 'x.parquet'));
    expect(notes).toMatchObject({ reportId: id, request: null });
  });
});

test('a page has no flag of what to set, which stderr has', async () => {
  const { run, cwd } = await serveForTest({ delayMs: 0 });
  const page = await run(`${line} --window-clock wall -o x.html`);
  await run(`${line} --window-clock wall -o x.xlsx -q`);

  const warning = 'The report covers a different period than requested';
  expect(oneLine(page.stderr)).toContain('add --window-clock instant');
  const html = page.files['x.html'] ?? '';
  const [, footer] = html.split('<footer');
  expect(footer).toContain(`<p class="warning">Warning: ${warning}`);
  expect(html).toMatch(/<a href="#about">\d warnings?<\/a>/);
  const summary = readSheet(readFileSync(join(cwd, 'x.xlsx')), 2).join(' ');
  expect(summary).toContain(warning);
  for (const text of [html, summary]) expect(text).not.toMatch(/window-?clock|adreport\.yaml/i);
});

test('a sheet has its origin on Summary', async () => {
  const { run, cwd } = await serveForTest({ delayMs: 0 });

  await run(`${line} -o x.xlsx -q`);

  const facts = new Map<unknown, unknown>();
  const rows = readSheet(readFileSync(join(cwd, 'x.xlsx')), 2);
  for (const [name, value] of rows) facts.set(name, value);
  expect(facts.get('Filters')).toBe('Country: France, Germany');
  expect(facts.get('Request')).toMatch(/^By day and campaign: Requests, /);
  expect(facts.get('Report ID')).toMatch(/^[0-9a-f]{20,}$/);
  expect(facts.get('Downloaded')).toMatch(/^\d+ Nov 2026, \d\d:\d\d UTC$/);
});

test('a page and a sheet contain no e-mail address and no address of the service', async () => {
  const { run, server, cwd } = await serveForTest({ delayMs: 0 });
  const env = { ADREPORT_EMAIL: 'somebody@agency.example', ADREPORT_PASSWORD: 'pass-phrase' };

  const { files } = await run(`${line} -o x.html -q`, { env });
  await run(`${line} -o x.xlsx -q`, { env });

  const sheet = [...unzip(readFileSync(join(cwd, 'x.xlsx'))).values()].join('');
  for (const text of [files['x.html'] ?? '', sheet]) {
    expect(text).toContain('Campaign ID');
    expect(text).not.toContain('agency.example');
    expect(text).not.toContain(new URL(server.url).host);
  }
});
