import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Certificate, inspectCertificate } from '../../../api/certificate.ts';
import { type EnvironmentProxy, goesThrough, maskProxy } from '../../../config/proxy.ts';
import type { Context } from '../../../context.ts';
import { codeOf, UnreachableError } from '../../../errors.ts';
import { broken, type Finding, fine, odd } from './finding.ts';
import type { Answer, Service } from './service.ts';

const dayMs = 86_400_000;
const endsSoonDays = 14;

/** Which proxy the calls of an address go through, if any. */
export function checkProxy(proxy: EnvironmentProxy | undefined, baseUrl: URL): Finding {
  if (!proxy) return fine('proxy', 'none is set (HTTPS_PROXY)');
  if (goesThrough(proxy, baseUrl)) return fine('proxy', `${maskProxy(proxy)} is used for ${baseUrl.origin}.`);
  const why = baseUrl.protocol === 'https:' ? 'NO_PROXY names its host' : 'plain http stays on this machine';
  return fine('proxy', `${maskProxy(proxy)} is not used for ${baseUrl.origin}: ${why}.`);
}

/** The authorities that the environment adds, or the checks that it takes away. */
export function checkAuthorities({ env, cwd }: Context['host']): Finding[] {
  const findings: Finding[] = [];
  const file = env.NODE_EXTRA_CA_CERTS;
  if (file) {
    const problem = problemOf(resolve(cwd, file));
    findings.push(
      problem === undefined
        ? fine('authorities', `${file} is trusted too (NODE_EXTRA_CA_CERTS).`)
        : odd(
            'authorities',
            `NODE_EXTRA_CA_CERTS: ${file} ${problem}, and Node.js goes on without it.`,
            'Name a PEM file.',
          ),
    );
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0: whoever is on the way can read the token.';
    findings.push(
      odd('authorities', message, 'Unset it; a private authority is made known with NODE_EXTRA_CA_CERTS=FILE.'),
    );
  }
  return findings;
}

function problemOf(path: string): string | undefined {
  try {
    return /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/.test(readFileSync(path, 'latin1'))
      ? undefined
      : 'holds no certificate';
  } catch (error) {
    return `cannot be read (${codeOf(error) ?? error})`;
  }
}

/** The service's certificate, by name where something is wrong with it; nothing for plain http or behind a proxy. */
export async function checkCertificate({ baseUrl, proxy, timeoutMs }: Service, nowMs: number): Promise<Finding[]> {
  if (baseUrl.protocol !== 'https:' || proxy) return [];
  const certificate = await inspectCertificate(baseUrl, timeoutMs);
  if (!certificate) return [];
  const { subject, issuer, validUntilMs, problem } = certificate;
  if (problem !== undefined) return [refused(certificate, problem, baseUrl)];
  const message = `The certificate of ${subject}, signed by ${issuer}, is good until ${dayOf(validUntilMs)}.`;
  const isEnding = validUntilMs - nowMs < endsSoonDays * dayMs;
  return [isEnding ? odd('certificate', message, 'Have it renewed.') : fine('certificate', message)];
}

/** The finding for a certificate that this machine does not accept; `problem` is Node's word for why. */
function refused(certificate: Certificate, problem: string, { hostname }: URL): Finding {
  const { subject, issuer, names, validFromMs, validUntilMs } = certificate;
  const known: Readonly<Record<string, readonly [what: string, fix: string]>> = {
    CERT_HAS_EXPIRED: [
      `The certificate of ${subject} ended on ${dayOf(validUntilMs)}`,
      'Have it renewed, or set this machine’s clock.',
    ],
    CERT_NOT_YET_VALID: [`The certificate of ${subject} begins on ${dayOf(validFromMs)}`, 'Set this machine’s clock.'],
    ERR_TLS_CERT_ALTNAME_INVALID: [
      `The certificate is for ${names.join(', ')}, and not for ${hostname}`,
      'Use a name of it as base URL.',
    ],
  };
  const [what, hint] = known[problem] ?? [
    `The certificate of ${subject} is signed by ${issuer}, whom this machine does not know`,
    'Have that authority’s certificate in a PEM file, and set NODE_EXTRA_CA_CERTS to it.',
  ];
  return broken('certificate', new UnreachableError(`${what} (${problem}).`, { hint }));
}

/** Whether a call failed because of the certificate: its own error says nothing more then. */
export function isExplained(answer: Answer, certificate: readonly Finding[]): boolean {
  return 'error' in answer && certificate.some(({ status }) => status === 'broken');
}

function dayOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}
