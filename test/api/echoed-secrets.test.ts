import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serve } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

/**
 * A service that shows a secret in the places where its texts are shown, encoded and in any case.
 */

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=';
const secretText = fc.string({ minLength: 24, maxLength: 80, unit: fc.constantFrom(...alphabet) });

/** Spellings in which a service may echo a secret. */
const spelling = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
  (text: string) => encodeURIComponent(text),
  (text: string) => [...text].map((c, at) => (at % 2 ? c.toUpperCase() : c)).join(''),
);

/** Bodies with a given text, parts of which are shown. */
const bodies: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify({ response: { error: text } }),
  (text) => JSON.stringify({ response: { error_id: text, error: 'no' } }),
  (text) => JSON.stringify({ response: { status: text } }),
  (text) => JSON.stringify({ response: { status: 'failed', message: text } }),
  (text) => JSON.stringify({ response: { status: 'expired', message: text } }),
  (text) =>
    JSON.stringify({
      response: { details: [{ problem: text }, { parameter: text, problem: text }] },
    }),
  (text) => JSON.stringify({ errors: { a: [text], b: [text] } }),
  (text) => JSON.stringify({ error: { code: text, message: text } }),
  (text) => JSON.stringify({ [text]: text }),
  (text) => JSON.stringify([text]),
  (text) => JSON.stringify(text),
  (text) => text,
  (text) => `<p>${text}</p>`,
  (text) => `${text}\n${text}`,
];

const lines = [
  'status r1',
  'status r1 --wait --wait-timeout 1s',
  'download r1',
  'campaigns',
  'run --period yesterday',
  'run --period yesterday --direct',
  'whoami',
  'doctor',
];

const attack = fc.record({
  secret: secretText,
  spell: spelling,
  body: fc.constantFrom(...bodies),

  /** So that a cut can be anywhere in the secret. */
  before: fc.oneof(
    fc.nat(20),
    fc.integer({ min: 80, max: 170 }),
    fc.integer({ min: 230, max: 320 }),
  ),
  // Most statuses are in an answer with 200.
  status: fc.oneof(
    fc.constant(200),
    fc.constantFrom(202, 302, 400, 401, 403, 404, 409, 410, 415, 425, 429, 500, 503),
  ),
  line: fc.constantFrom(...lines),
  isPassword: fc.boolean(),
  verbose: fc.constantFrom('', ' -v', ' --json'),
});

test('neither a token nor a password is shown when the service echoes it', {
  timeout: 120_000,
}, async () => {
  let answer = { status: 200, text: '' };
  const { env } = await serve(({ path }, response) => {
    const location = { location: `https://x.example/${encodeURIComponent(answer.text.trim())}` };
    const headers = { 'content-type': 'application/json', 'retry-after': '0', ...location };
    // Returns a token, so that later calls can echo the password.
    if (path === '/auth-reporting' && answer.status === 401) response.end('{"token":"0123456789"}');
    else response.writeHead(answer.status, headers).end(answer.text);
  });

  const property = fc.asyncProperty(attack, async (tried) => {
    const { secret, spell, body, before, status, line, isPassword, verbose } = tried;
    answer = { status, text: body(`${'x'.repeat(before)} ${spell(secret)}`) };
    const signIn = isPassword
      ? { ADREPORT_TOKEN: '', ADREPORT_EMAIL: 'me@x.example', ADREPORT_PASSWORD: secret }
      : { ADREPORT_TOKEN: secret };
    const { stdout, stderr } = await runCli(
      `${line} --retries 0${verbose}`.replace('doctor --retries 0', 'doctor'),
      {
        env: { ...env, ...signIn },
      },
    );
    // Report data is not filtered.
    const isData = stdout !== '' && /^(download|run|campaigns)/.test(line);
    const shown = (isData ? stderr : stdout + stderr).toLowerCase();
    expect(shown).not.toContain(secret.toLowerCase());
    expect(shown).not.toContain(encodeURIComponent(secret).toLowerCase());
  });
  await fc.assert(property, { numRuns: 40 });
});
