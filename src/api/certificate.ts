import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';

/** A server's certificate, and whether this machine accepts it. */
export interface Certificate {
  /** Whose it is, by common name, else by organisation. */
  readonly subject: string;
  /** Who signed it, by the same. */
  readonly issuer: string;
  /** The names it is for. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  readonly validFromMs: number;
  readonly validUntilMs: number;
  /** Node's word for why it is not accepted, e.g. `CERT_HAS_EXPIRED`; absent where it is. */
  readonly problem?: string;
}

/**
 * Looks at the certificate of an https address, accepted or not; nothing is sent there. `undefined` where there is none
 * to be had: no connection, no TLS, or no answer in time.
 */
export function inspectCertificate(url: URL, timeoutMs: number): Promise<Certificate | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isIP(host) ? {} : { servername: host }),
      // It is looked at to say what is wrong with it.
      rejectUnauthorized: false,
    });
    const finish = (found?: Certificate): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(timeoutMs, () => finish());
    socket.on('error', () => finish());
    socket.on('secureConnect', () => {
      // A word, whatever its type says; null where nothing is wrong.
      const problem: unknown = socket.authorizationError;
      finish(describe(socket.getPeerCertificate(), problem ? String(problem) : undefined));
    });
  });
}

function describe(certificate: PeerCertificate, problem: string | undefined): Certificate {
  const { subject, issuer, subjectaltname = '', valid_from, valid_to } = certificate;
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    names: subjectaltname.split(', ').flatMap((entry) => /^(?:DNS|IP Address):(.+)$/.exec(entry)?.[1] ?? []),
    validFromMs: Date.parse(valid_from),
    validUntilMs: Date.parse(valid_to),
    ...(problem === undefined ? {} : { problem }),
  };
}

function nameOf({ CN, O }: { readonly CN?: string | string[]; readonly O?: string | string[] }): string {
  return String(CN ?? O ?? 'someone without a name');
}
