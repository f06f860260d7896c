import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startForTest, tokens } from '../server/local.ts';
import { temporaryFolder } from './run-cli.ts';

/**
 * Makes a certificate for this machine that is good for a day, and the file of the
 * authority that signed it, for NODE_EXTRA_CA_CERTS; `undefined` where there is no openssl.
 */
export function makeCertificates() {
  const folder = temporaryFolder();
  const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' });
  const newKey = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  const names = ['localhost', 'reports.test', 'reports.example.com'].map((name) => `DNS:${name}`);
  writeFileSync(join(folder, 'names'), `subjectAltName=${names.join()},IP:127.0.0.1\n`);
  try {
    openssl(`${newKey} -x509 -keyout ca.key -out ca.pem -days 1 -subj /CN=Private`);
    openssl(`${newKey} -keyout host.key -out host.csr -subj /CN=localhost`);
    const sign = `-CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days 1`;
    openssl(`x509 -req -in host.csr ${sign} -out host.pem`);
  } catch {
    return undefined;
  }
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { caFile: join(folder, 'ca.pem'), cert: read('host.pem'), key: read('host.key') };
}

/** A local server over TLS, signed by a private authority, in a test that is skipped where openssl is missing. */
export async function serveTls(skip: (why: string) => never, host = '127.0.0.1') {
  const tls = makeCertificates() ?? skip('there is no openssl here');
  const server = await startForTest({ tls, host });
  const url = `https://localhost:${server.port}`;
  const env = { ADREPORT_BASE_URL: url, ADREPORT_TOKEN: tokens.buyer, NODE_EXTRA_CA_CERTS: tls.caFile };
  return { server, env };
}
