import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './run-cli.ts';

/** A private certificate authority, and a certificate of its for this machine. */
export interface Certificates {
  /** The authority's certificate, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes certificates; `undefined` where there is no openssl.
 *
 * @param days how long the one for this machine is good; below zero its days are over
 */
export function makeCertificates(days = 1): Certificates | undefined {
  const folder = temporaryFolder();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  try {
    openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '1', '-subj', '/CN=Private CA');
    openssl('req', ...newKey, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=localhost');
    writeFileSync(
      join(folder, 'names'),
      'subjectAltName=DNS:localhost,DNS:reports.test,DNS:reports.example.com,IP:127.0.0.1\n',
    );
    const sign = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', String(days)];
    openssl('x509', '-req', '-in', 'host.csr', ...sign, '-out', 'host.pem');
  } catch {
    return undefined;
  }
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { caFile: join(folder, 'ca.pem'), cert: read('host.pem'), key: read('host.key') };
}
