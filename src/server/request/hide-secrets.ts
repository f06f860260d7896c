const secretName = /pass|pwd|secret|token/i;

const hidden = '…';

/** Matches headers in which clients send a secret. */
export function isSecretHeader(name: string): boolean {
  return /auth|cookie|key|pass|secret|token/i.test(name);
}

/** Replaces secrets in a body by `…`, and a body that may have some but cannot be read. */
export function hideSecrets(body: string): string {
  // A name with escapes could be that of a secret.
  const mayHaveSecrets = secretName.test(body) || /\\u|%/.test(body);
  if (!mayHaveSecrets) return body;

  if (/^\s*[[{]/.test(body)) return hideMembers(body);
  const fields = body.split('&');
  return fields.every((field) => /^[^\s=]+=\S*$/.test(field)) ? hideFields(fields) : hidden;
}

function hideMembers(json: string): string {
  let hasSecrets = false;
  const hide = (name: string, value: unknown): unknown => {
    if (!secretName.test(name)) return value;
    hasSecrets = true;
    return hidden;
  };

  try {
    const shown = JSON.stringify(JSON.parse(json, hide));
    return hasSecrets ? shown : json;
  } catch {
    return hidden;
  }
}

function hideFields(fields: readonly string[]): string {
  const shown = fields.map((field) => {
    const [name = ''] = field.split('=', 1);
    return secretName.test(unescaped(name)) ? `${name}=${hidden}` : field;
  });
  return shown.join('&');
}

/** Decodes the name of a field, and leaves invalid percent-encoding unchanged. */
function unescaped(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
