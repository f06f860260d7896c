import { expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Flags that say how CSV is written, and which columns: what they do, and where they have no use. */

const byHour = 'run --period 2026-10-24..2026-10-25 --by HOURLY,CAMPAIGN --fresh';

test('campaigns speak every CSV dialect', async () => {
  const { run } = await serveForTest();
  const first = async (flags: string) => {
    const { stdout } = await run(`campaigns --search 40002 --columns campaignName,adunits,advertiserId ${flags}`);
    return stdout.split('\r\n')[0];
  };
  const name = '"Soldes d\'été, ""−50 %"", 2e vague"';
  expect(await first('--no-header')).toBe(`${name},2,501`);
  expect(await first('--no-header --delimiter tab')).toBe(`${name}\t2\t501`);
  expect(await first('--excel')).toBe('\ufeffcampaignName;adunits;advertiserId');
  expect(await first('--bom --delimiter |')).toBe('\ufeffcampaignName|adunits|advertiserId');
  const awkward = await serveForTest({}, 'awkward');
  const { stdout } = await awkward.run('campaigns --search 49001 --columns campaignName --no-header --escape-formulas');
  expect(stdout).toMatch(/^"'=HYPERLINK/);
});

test('CSV on a terminal shows control characters; a pipe and a file have them as they are', async () => {
  const { run } = await serveForTest({ delayMs: 0 }, 'awkward');
  const csv = 'run --period 2026-11-09 --by CAMPAIGN --metrics displays --format csv';
  const raw = '\n49002,\u001b[31mRED ALERT\u001b[0m launch,';
  expect((await run(csv)).stdout).toContain(raw);
  expect((await run(`${csv} -o x.csv`, { tty: true })).files['x.csv']).toContain(raw);
  const list = 'campaigns --format csv --columns campaignId,campaignName,adunits';
  for (const line of [csv, list, 'view x.csv --by CAMPAIGN --format csv']) {
    const { stdout } = await run(line, { tty: true });
    expect(stdout).toContain('\n49002,␛[31mRED ALERT␛[0m launch,');
    expect(stdout).toContain('\n49004,Printemps␍␊Été␊2026,');
    expect(stdout).toContain('\\u202e');
    expect(stdout).not.toContain('\u001b');
  }
});

test.each([byHour, 'download x', 'campaigns'])('%s: what cannot be is told before anything is asked', async (line) => {
  const { run, server } = await serveForTest();
  for (const flags of ['--format csv --delimiter ab', '--format json --delimiter ab', '--columns date,,clicks']) {
    expect(await run(`${line} ${flags}`)).toMatchObject({ exitCode: 2, stdout: '' });
  }
  // A binary format does not go onto a terminal.
  for (const format of ['parquet', 'xlsx']) {
    expectRefusal(await run(`${line} --format ${format}`, { tty: true }), 2, `-o report.${format}`);
  }
  expect(server.requests()).toEqual([]);
});

test('flags of CSV that another format has no use for are told, once', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const told = (format: string, names: string) =>
    `Warning: The output is ${format}: ${names} would change CSV alone.\n`;
  const csv = `${byHour} --excel --no-header`;
  expect((await run(`${csv} --format ndjson`)).stderr).toContain(told('ndjson', '--excel, --no-header'));
  const perDay = await run(`${csv} --split day -o {date}.json`);
  expect(perDay.stderr.split(told('json', '--excel, --no-header'))).toHaveLength(2);
  expect((await run(`${csv} --format csv`)).stderr).not.toContain('Warning');
  const listed = await run('campaigns --delimiter ; --escape-formulas --format json');
  expect(listed.stderr).toBe(told('json', '--delimiter, --escape-formulas'));
});
