import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import { portOf, startForTest, tokens } from '../server/local.ts';
import { temporaryFolder } from './run-cli.ts';

/** Authority, and its certificate for this machine, valid until 2120. The key is public. */
const authority = `-----BEGIN CERTIFICATE-----
MIIBTTCB86ADAgECAgEBMAoGCCqGSM49BAMCMBUxEzARBgNVBAMMClByaXZhdGUg
Q0EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBUxEzARBgNVBAMM
ClByaXZhdGUgQ0EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQLlui/0lBgTNNz
oejyfa8n9K6uXzjWYdw3Skjinhd6cCEaa4nQWhwTJfVSbmx5TLe55FbqHVwbyxAc
SOzjEohbozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBS5djl1L/iCF0BO
QzKqz+9dlAKOeDAKBggqhkjOPQQDAgNJADBGAiEAx3muB9rpeech6Dlr55wkDHMz
/kk7t0w6gywUfRFTY4QCIQD8PfwLBGFFQZUKain46byw4AgBhbX1SuXWpVxHtQd8
2w==
-----END CERTIFICATE-----
`;

export const certificate = `-----BEGIN CERTIFICATE-----
MIIBsDCCAVWgAwIBAgIBAjAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApQcml2YXRl
IENBMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAUMRIwEAYDVQQD
DAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASdD4Fjuj4QT29Q
uMD0DZcolu1giPWdBFst9QIbjnxjd0066JT1qHRYKcsFfwx6z0sNE1l3USbWVMGr
VafLmc2Oo4GUMIGRME8GA1UdEQRIMEaCCWxvY2FsaG9zdIIMcmVwb3J0cy50ZXN0
ghNyZXBvcnRzLmV4YW1wbGUuY29thwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMB0G
A1UdDgQWBBS6xINahIb7UHkTpaV7D59+3J+4+TAfBgNVHSMEGDAWgBS5djl1L/iC
F0BOQzKqz+9dlAKOeDAKBggqhkjOPQQDAgNJADBGAiEAq5sRMbsoga8QWS2AUo2n
4BNU/jOh8GaGauDSCurwtScCIQCZduraC1XacQFNjLOoX78RvKJtfnvZ22sYl0Cb
4U5CTQ==
-----END CERTIFICATE-----
`;

export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpujA8eXSWwskf9Ch
KNUCJLBOGT8v0ieT3Lv3sLGkEgyhRANCAASdD4Fjuj4QT29QuMD0DZcolu1giPWd
BFst9QIbjnxjd0066JT1qHRYKcsFfwx6z0sNE1l3USbWVMGrVafLmc2O
-----END PRIVATE KEY-----
`;

/** Its own authority, for localhost, valid in 2001. The key is public. */
export const expired = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBWzCCAQKgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwHhcNMDEwMTAxMDAwMDAwWhcNMDIwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAls
b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASlls9+7nQaP9SR6+E9
jxm6uZIP/GeJeKb+d/RzBm1Ko/pr/EG5SEIkX/6sUAvS7T56C+hLEtSgInG7Je8B
gS4yo0UwQzAUBgNVHREEDTALgglsb2NhbGhvc3QwDAYDVR0TBAUwAwEB/zAdBgNV
HQ4EFgQUaUDf2cUXUWVyd98HXUrPhQY9KgswCgYIKoZIzj0EAwIDRwAwRAIgb5fG
Oq56v1N5ufIKyUojK6hm7hvIqOdCNkbY8CmP4CkCIBswiIrx7YsCm9Weh+aqZVB9
LRdZf60xdLBkaHUAl3rz
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbXpNQ0sUYfx3m0sd
0BFTD7cdE8I9XoMz08Fph4AYHN6hRANCAASlls9+7nQaP9SR6+E9jxm6uZIP/GeJ
eKb+d/RzBm1Ko/pr/EG5SEIkX/6sUAvS7T56C+hLEtSgInG7Je8BgS4y
-----END PRIVATE KEY-----
`,
};

/** Makes this process trust an authority, and no other, for one test. */
export function trustAuthorityHere(ca = authority): void {
  const { createSecureContext } = tls;
  tls.createSecureContext = (options) => createSecureContext({ ...options, ca });
  onTestFinished(() => {
    tls.createSecureContext = createSecureContext;
  });
}

/** Returns the environment that makes a program trust the authority, for one test. */
function trustAuthority(): { readonly NODE_EXTRA_CA_CERTS: string } {
  const file = join(temporaryFolder(), 'ca.pem');
  writeFileSync(file, authority);
  return { NODE_EXTRA_CA_CERTS: file };
}

/**
 * Starts a local server behind TLS; returns it with the environment that signs a command in and
 * trusts its authority.
 */
export async function serveTls(
  host = '127.0.0.1',
  identity = { cert: certificate, key: privateKey },
) {
  const server = await startForTest({ host });
  const tunnel = tls.createServer(identity, (socket) => {
    const inner = connect(portOf(server), new URL(server.url).hostname);
    pipeline(socket, inner, socket, () => {});
  });
  await new Promise<void>((resolve) => tunnel.listen(0, host, resolve));
  onTestFinished(() => void tunnel.close());

  const { port } = tunnel.address() as AddressInfo;
  const baseUrl = `https://localhost:${port}`;
  return {
    server,
    port,
    url: `https://${host}:${port}`,
    env: { ADREPORT_BASE_URL: baseUrl, ADREPORT_TOKEN: tokens.buyer, ...trustAuthority() },
  };
}
