import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from '../../src/text/printable.ts';
import { json, serve } from '../support/http-server.ts';
import { type CliResult, runCli, temporaryFolder } from '../support/run-cli.ts';

// Report ids that contain control characters.

const hostile = 'a\nb\u009bc\u202ed\u2028e';

/** Expects no hidden characters except line breaks. */
function expectVisible({ stdout, stderr }: CliResult): void {
  for (const line of (stdout + stderr).split('\n')) expect(line.search(hiddenCharacters)).toBe(-1);
}

/** The words of the command that resumes the report, as bash parses them. */
function resumeWords(stderr: string): string[] {
  const line = stderr.split('\n').find((each) => /adreport (status|download) /.test(each)) ?? '';
  const command = line.slice(line.search(/adreport (status|download) /)).split(' && ')[0] ?? '';
  const script = `set -f; printf '%s\\0' ${command}`;
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(1, -1);
}

describe.skipIf(process.platform === 'win32')('an id with line breaks and direction marks', () => {
  test('is visible in every line, and works in the resume command', async () => {
    const state = { status: 'progress' };
    const { env } = await serve(({ path }, response) => {
      if (path === '/buyer-reporting') json(response, { report_id: hostile });
      else if (path === '/status-reporting') json(response, { status: state.status });
      else json(response, { data: [{ displays: 7 }] });
    });
    const signIn = { ...env, ADREPORT_CONFIG_DIR: temporaryFolder() };
    const line = 'run --period yesterday --metrics displays --format ndjson';
    const stopped = await runCli(`${line} --wait-timeout 0s -v`, { env: signIn });
    expect(stopped.exitCode).toBe(7);
    expectVisible(stopped);
    const named = await runCli(['status', '--wait', '--wait-timeout', '0s', hostile], {
      env: signIn,
    });
    expect(named.exitCode).toBe(7);
    expect(resumeWords(named.stderr)).toContain(hostile);

    expectVisible(await runCli('report list', { env: signIn }));
    expectVisible(await runCli('report list --json', { env: signIn }));
    expectVisible(await runCli(['status', hostile], { env: signIn }));
    state.status = hostile;
    expectVisible(await runCli(['status', hostile], { env: signIn }));
    state.status = 'ready';
    const resumed = await runCli(line, { env: signIn });
    expect(resumed).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });
    expectVisible(resumed);
  });
});
