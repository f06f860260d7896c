/** The names of members that hold secrets. */
const secretName = /passw|secret|token/i;

/** A member of JSON that is not whole: its name, and its value as far as it goes. */
const brokenMember =
  /("[^"\\]*(?:\\.[^"\\]*)*"\s*:\s*)(?:"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[^\s,{}"]+)/gs;

/** Stands for what is not kept. */
const hidden = '…';

/** The text of a body as it came, but for secrets, which are `…`. */
export function bodyForLog(text: string): string {
  const isJson = /^\s*[[{]/.test(text);
  return isJson ? withoutSecretMembers(text) : withoutSecretFields(text);
}

function withoutSecretMembers(text: string): string {
  let isHiding = false;
  const hide = (name: string, value: unknown): unknown => {
    if (!secretName.test(name)) return value;
    isHiding = true;
    return hidden;
  };

  try {
    const json = JSON.stringify(JSON.parse(text, hide));
    return isHiding ? json : text;
  } catch {
    const shown = text.replace(brokenMember, (member, name) =>
      secretName.test(name) ? `${name}"${hidden}"` : member,
    );
    // A name that is written with escapes may be any.
    const isUnsure = text.includes('\\u') || (shown === text && secretName.test(text));
    return isUnsure ? hidden : shown;
  }
}

function withoutSecretFields(text: string): string {
  const fields = text.split('&').map((field) => {
    const [name = ''] = field.split('=', 1);
    return secretName.test(unescaped(name)) ? `${name}=${hidden}` : field;
  });
  return fields.join('&');
}

/** The name of a field; one that is not percent-encoding, as it is. */
function unescaped(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
