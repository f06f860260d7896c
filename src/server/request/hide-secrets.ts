import type { EndpointName } from '../../contract/messages.ts';

const secretName = /pass|pwd|secret|token/i;

const hidden = '…';

/** Matches headers in which clients send a secret. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|pass|secret|token/i.test(name);
}

/**
 * Replaces the secrets in a body by `…`. Of a sign-in only the e-mail address stays. A body with a
 * secret that cannot be read is `…`.
 */
export function hideSecrets(text: string, endpoint: EndpointName | undefined): string {
  const isSignIn = endpoint === 'auth';
  const isSecret = (name: string): boolean => (isSignIn ? name !== 'email' : secretName.test(name));

  const isJson = /^\s*[[{]/.test(text);
  if (isJson) return hideMembers(text, isSecret, isSignIn);

  const isForm = /^[^\s=&]+=[^\s=&]*(&[^\s=&]+=[^\s=&]*)*$/.test(text);
  if (isSignIn && !isForm) return hidden;
  return hideFields(text, isSecret);
}

function hideMembers(text: string, isSecret: (name: string) => boolean, isSignIn: boolean): string {
  // An escaped name could be that of a secret.
  const mayHaveSecrets = isSignIn || text.includes('\\u') || secretName.test(text);
  if (!mayHaveSecrets) return text;

  let hasSecrets = false;
  const hide = (name: string, value: unknown): unknown => {
    // An object of a sign-in is kept, with its members hidden.
    const hasMembers = typeof value === 'object' && value !== null;
    if (!isSecret(name) || (isSignIn && hasMembers)) return value;
    hasSecrets = true;
    return hidden;
  };

  try {
    const json = JSON.stringify(JSON.parse(text, hide));
    return hasSecrets ? json : text;
  } catch {
    return hidden;
  }
}

function hideFields(text: string, isSecret: (name: string) => boolean): string {
  const fields = text.split('&').map((field) => {
    const [name = ''] = field.split('=', 1);
    return isSecret(unescaped(name)) ? `${name}=${hidden}` : field;
  });
  return fields.join('&');
}

/** Decodes the name of a field, and leaves invalid percent-encoding unchanged. */
function unescaped(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
