import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

// The commands in the hints of errors are pasted and run: in the folder and at the service of the
// command that failed.

/** Mistakes, in a folder with the file `there.csv`. */
const lines = [
  'rum --json',
  'run --json --nosuch',
  'run --period --json',
  'run --period octobr --json',
  'run --period 2026-13 --json',
  'run --period 2026-02-30 --json',
  'run --period yesterday --since 2026-11-01 --json',
  'run --period tomorrow --json',
  'run --since soon --json',
  'run --json',
  'run --period yesterday --profile seller --json',
  'run --period yesterday --format docx --json',
  'run --period yesterday -o report.docx --json',
  'run --period yesterday -o s3://bucket/a.csv --json',
  'run --period yesterday -o https://example.com/a.csv --json',
  'run --period yesterday -o there.csv --no-clobber --json',
  'run --period yesterday -o there.csv/x.csv --json',
  "run --period yesterday -o '{nosuch}.csv' --json",
  "run --period last-7d --split day --no-clobber -o '{date}.csv' --json",
  'run --period last-7d --lookback 3 -o x.csv --json',
  "run --since 2026-11-04 --until 2026-11-10 --split week -o '{date}.csv' --json",
  "run --period last-7d --split day --shard 5/4 -o '{date}.csv' --json",
  "run --period last-7d --split hour -o '{date}.csv' --json",
  'run --period yesterday --concurrency 0 --json',
  'run --period yesterday --retries -1 --json',
  'run --period yesterday --timeout forever --json',
  'run --period yesterday --poll-interval 0 --json',
  'run --period yesterday --wait-timeout 5 --json',
  'run --period yesterday --compare nextyear --json',
  'run --period yesterday --compare -o out.json --json',
  "run --period last-7d --split day --compare -o '{date}.csv' --json",
  'run --period yesterday --account nobody --json',
  'run --period yesterday --encoding xml --json',
  'run nosuch --json',
  'run --all --json',
  'report create --period yesterday -o x.csv --json',
  'report create --period yesterday --direct --json',
  'report nosuch --json',
  'status --json',
  "status '' --json",
  'status 0123 --json',
  'download --json',
  'download 0123 --json',
  'download 0123 --wait -o x.csv --json',
  'view --json',
  'view nosuch.csv --json',
  'view there.csv --by nosuch --json',
  'view there.csv --top 0 --json',
  'view there.csv --json',
  'check --json',
  'check nosuch --json',
  'check there.csv --json',
  'update --json',
  'update nosuch --json',
  'campaigns --active yesterdayish --json',
  'campaigns --format nosuch --json',
  'fields --profile nosuch --json',
  'config set nosuch 1 --json',
  'config set profile seller --json',
  'login --email a@example.com --json',
  'login --base-url ftp://example.com --token-stdin --json',
  'completion tcsh --json',
  'local-server --fault nosuch:503 --json',
  'local-server --fault auth:failed --json',
  'local-server --polls 2 --manual --json',
  'local-server export --json',
  'help nosuchword --json',
  'doctor --nosuch --json',

  'run --period yesterday --filter city=Paris --json',
  'run --period yesterday --filter osId=x --json',
  'run --period yesterday --filter osId --json',
  'run --period yesterday --filter advertiserId=501 --json',
  "run --period yesterday --campaign 'Colection*' --json",
  'run --period yesterday --country Atlantis --json',
  'run --period yesterday --metrics conversions --json',
  'run --period yesterday --metrics displayz --json',
  'run --period yesterday --metrics ctr -o out.json --json',
  'run --period yesterday --by DAILY,HOURLY --json',
  'run --period yesterday --by CAMPAIGN --columns nosuch --json',
  'run --period yesterday --excel -o out.xlsx --json',
  'run --period yesterday --timezone UTC --json',
  'run --period 2026-10 --split week --by DAILY --json',
  'run --period 2026-10 --by CAMPAIGN --split day --json',
  'run --period 2026-10 --profile dsp --by CAMPAIGN --json',
];

/** The words of a line, with quotes around words with blanks. */
function wordsIn(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^ '"])+/g) ?? [];
  return words.map((word) => word.replaceAll(/["']/g, ''));
}

/** The hint of an error. */
function hintIn(stderr: string): string {
  const json = /^\{"error":.*$/m.exec(stderr)?.[0];
  if (json !== undefined) return JSON.parse(json).error.hint ?? '';
  return /^adreport: .*((?:\n {2,}.*)+)/m.exec(stderr)?.[1] ?? '';
}

/** Where a command in a sentence ends. */
const end = /(?<=\S)[.,;:)]+(?=\s|$)|\s(?=or |and |shows |lists |with |to |has |in |\()/;

/** The commands in a hint, without forms (`Usage: …`) and names (`adreport view reads …`). */
function commandsIn(hint: string): string[] {
  const texts = hint.split('\n').flatMap((line) => line.split(/(?=\badreport [a-z])/).slice(1));
  const commands = texts.filter((text) => !/^adreport [\w -]+ (reads|writes|\[flags\])/.test(text));
  return commands.map((text) => (text.split(end)[0] ?? '').trim());
}

test.each(lines)('%s', async (line) => {
  const { run } = await serveForTest({ delayMs: 0 });
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'there.csv'), 'old\n');

  const failed = await run(wordsIn(line), { cwd });

  expect(failed.exitCode).toBeGreaterThan(0);
  const hint = hintIn(failed.stderr);
  for (const command of commandsIn(hint)) {
    const { exitCode, stderr } = await run(wordsIn(command).slice(1), { cwd });
    const needsPerson = stderr.includes('is not a terminal');
    const isUseful = needsPerson || ![1, 2].includes(exitCode);
    expect(command).not.toContain('…');
    expect(isUseful, `${command}\n${stderr}`).toBe(true);
  }
});
