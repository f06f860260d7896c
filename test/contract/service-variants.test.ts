import { describe, expect, test } from 'vitest';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { serveVariant } from '../support/variant-service.ts';
import {
  campaignVariants,
  expectedFile,
  runVariants,
  signInVariants,
  token,
  type Variant,
} from './service-variants.ts';

// The column `doctor` is walked by long/service-examination.test.ts.

/** Runs a command line against a variant, and holds it to what the variant must lead to. */
async function play(variant: Variant, line: string, signIn: Readonly<Record<string, string>>) {
  const { url, calls } = await serveVariant(variant);

  const result = await runCli(`${line} -vv`, { env: { ADREPORT_BASE_URL: url.href, ...signIn } });

  expect(result).toMatchObject({ exitCode: variant.exitCode });
  if (variant.says) expect(result.stderr).toMatch(variant.says);
  expect(calls).toMatchObject(variant.calls ?? {});
  // No token is printed, wherever in an answer it stood, at any verbosity.
  expect(result.stdout + result.stderr).not.toContain(token);
  return result;
}

const reportFlags = '--period yesterday --by DAILY --metrics displays --columns date,displays';
const runLine = `run ${reportFlags} -o x.csv`;
const withToken = { ADREPORT_TOKEN: token };
const withPassword = { ADREPORT_EMAIL: 'me@example.com', ADREPORT_PASSWORD: 'correct horse' };

describe('run', () => {
  async function playRun(variant: Variant, signIn: Readonly<Record<string, string>>) {
    // A report that fails would be ordered once more.
    const flags = variant.exitCode === 6 ? '--strict --retries 0' : '--strict';
    const { files, stderr } = await play(variant, `${runLine} ${flags}`, signIn);

    expect(files['x.csv']).toBe(variant.exitCode === 0 ? expectedFile : undefined);
    if (variant.finding) expect(stderr).toMatch(variant.finding);
  }

  test.each(runVariants)('$name: exit $exitCode', (variant) => playRun(variant, withToken));

  test.each(signInVariants)('$name: exit $exitCode', (variant) => playRun(variant, withPassword));
});

/** What stderr says as warnings. */
function warningsIn({ stderr }: CliResult): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('Warning: '));
}

describe('findings', () => {
  const findings = runVariants.filter(({ finding }) => finding !== undefined);

  test.each(findings)('$name: without --strict a warning, and a file', async (variant) => {
    const { url } = await serveVariant(variant);

    const result = await runCli(runLine, { env: { ADREPORT_BASE_URL: url.href, ...withToken } });

    expect(result).toMatchObject({ exitCode: 0, files: { 'x.csv': expect.any(String) } });
    expect(warningsIn(result)).toContainEqual(expect.stringMatching(variant.finding ?? /^$/));
  });
});

describe('campaigns', () => {
  test.each(campaignVariants)('$name: exit $exitCode', async (variant) => {
    const columns = 'campaignId,campaignName,adunitId,adunitName';
    const line = `campaigns --ad-units --format csv --columns ${columns}`;

    const { stdout } = await play(variant, line, withToken);

    expect(stdout).toBe(variant.exitCode === 0 ? `${columns}\r\n12,A,3,u\r\n` : '');
  });
});
