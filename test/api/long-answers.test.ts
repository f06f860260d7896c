import { describe, expect, test } from 'vitest';
import { serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

/** Answers that try to block the program. With more than linear time, the tests would time out. */

/** Texts that make a careless pattern backtrack. */
const hardTexts = {
  'a text of escaped quotation marks that is not closed': '"\\"'.repeat(300_000),
  'a text of backslashes': `"${'\\'.repeat(1_000_000)}`,
  'names of secrets without an end': `"${'token '.repeat(150_000)}`,
  'secrets and blanks': `"token"${' '.repeat(500_000)}"token"${' '.repeat(500_000)}`,
  digits: `${'1'.repeat(999_999)}.`,
  'digits and dots': '1.'.repeat(500_000),
  'open brackets': '['.repeat(1_000_000),
  'quotation marks and colons': '":'.repeat(500_000),
  'word characters': 'A_'.repeat(500_000),
};

describe('a megabyte that invites backtracking is read once', () => {
  test.each(Object.entries(hardTexts))('%s', async (_name, text) => {
    for (const status of [200, 400]) {
      const { env } = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      });
      const signIn = { ...env, ADREPORT_TOKEN: '', ADREPORT_EMAIL: 'a@b.example' };
      const credentials = { ...signIn, ADREPORT_PASSWORD: 'not-a-word-of-it' };
      for (const line of ['status r1', 'campaigns', 'download r1']) {
        const { exitCode } = await runCli(`${line} --retries 0`, { env });
        expect(exitCode).toBeGreaterThanOrEqual(0);
      }
      expect((await runCli('whoami --retries 0', { env: credentials })).exitCode).toBeGreaterThan(
        1,
      );
    }
  });
});
