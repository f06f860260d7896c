import { expect, test } from 'vitest';
import { inspectCertificate } from '../../src/api/certificate.ts';
import { startForTest } from '../server/local.ts';
import { makeCertificates } from '../support/certificates.ts';
import { listenRaw } from './connect.ts';

test('whose a certificate is, who signed it, for which names and days, and why it is not accepted', async ({
  skip,
}) => {
  const tls = makeCertificates() ?? skip('there is no openssl here');
  const server = await startForTest({ tls });
  const found = await inspectCertificate(new URL(server.url), 5_000);
  expect(found).toEqual({
    subject: 'localhost',
    issuer: 'Private CA',
    names: ['localhost', 'reports.test', 'reports.example.com', '127.0.0.1'],
    validFromMs: expect.any(Number),
    validUntilMs: (found?.validFromMs ?? 0) + 86_400_000,
    problem: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  });
  expect(server.requests()).toEqual([]);
});

test.each([
  ['what speaks no TLS', 'SSH-2.0-OpenSSH_9.9\r\n', 5_000],
  ['what says nothing, in time', '', 50],
])('%s has none', async (_name, greeting, timeoutMs) => {
  const port = await listenRaw(greeting);
  expect(await inspectCertificate(new URL(`https://127.0.0.1:${port}`), timeoutMs)).toBeUndefined();
});
