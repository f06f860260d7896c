const secretName = /pass|pwd|secret|token/i;

const hidden = '…';

/** Matches headers in which clients send a secret. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|pass|secret|token/i.test(name);
}

/** Keeps only the e-mail address; returns `…` for a body that cannot be read. */
export function signInForLog(text: string): string {
  try {
    const show = (name: string, value: unknown): unknown =>
      name === '' || name === 'email' ? value : hidden;
    return JSON.stringify(JSON.parse(text, show));
  } catch {
    const isForm = /^[^\s=&]+=[^\s=&]*(&[^\s=&]+=[^\s=&]*)*$/.test(text);
    if (!isForm) return hidden;
    return fieldsForLog(text, (name) => name !== 'email');
  }
}

/** Replaces secrets by `…`. */
export function bodyForLog(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  if (isJson) return withoutSecretMembers(text);
  return fieldsForLog(text, (name) => secretName.test(name));
}

function withoutSecretMembers(text: string): string {
  // An escaped name could be that of a secret.
  if (!text.includes('\\u') && !secretName.test(text)) return text;

  let hasSecrets = false;
  const hide = (name: string, value: unknown): unknown => {
    if (!secretName.test(name)) return value;
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

function fieldsForLog(text: string, isSecret: (name: string) => boolean): string {
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
