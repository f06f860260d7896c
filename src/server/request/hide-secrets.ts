const secretName = /passw|secret|token/i;

/** A member of incomplete JSON: its name, and its value up to the end of the text. */
const brokenMember =
  /("[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*)(?:"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[^\s,{}"]+)/gs;

const hidden = '…';

/** The text of a body, with `…` in place of secrets. */
export function bodyForLog(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  return isJson ? withoutSecretMembers(text) : withoutSecretFields(text);
}

function withoutSecretMembers(text: string): string {
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
    const shown = text.replace(brokenMember, (member, name) =>
      secretName.test(name) ? `${name}"${hidden}"` : member,
    );
    // An escaped name could be that of a secret.
    const mayHaveSecrets = text.includes('\\u') || (shown === text && secretName.test(text));
    return mayHaveSecrets ? hidden : shown;
  }
}

function withoutSecretFields(text: string): string {
  const fields = text.split('&').map((field) => {
    const [name = ''] = field.split('=', 1);
    return secretName.test(unescaped(name)) ? `${name}=${hidden}` : field;
  });
  return fields.join('&');
}

/** Decodes the name of a field, and leaves invalid percent-encoding unchanged. */
function unescaped(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
