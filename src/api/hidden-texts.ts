/**
 * Gives a text of the service without the secrets that the program holds. It comes before any cut,
 * which would leave a piece.
 */
export type Redact = (text: string) => string;

/**
 * A text of JSON, closed or not, and the colon behind it where it is a name. It never looks at a
 * character twice.
 */
const jsonText = /"(?:[^"\\]|\\[\s\S])*"?(\s*:)?/g;

/** JSON with its names, and without the texts that are values. */
export function withoutTexts(json: string): string {
  return json.replace(jsonText, (text, colon) => (colon ? text : '"…"'));
}

const secretName = /token|key|secret|session|auth/i;

/**
 * A text of an answer to sign-in without what may be a token in an unknown place: a value whose
 * name says so, and every run of 16 characters or more, unless it is a word of capitals such as an
 * error's.
 */
export function withoutTokens(text: string): string {
  let isSecretValue = false;
  const withoutSecrets = text.replace(jsonText, (match, colon) => {
    const isHidden = isSecretValue && !colon;
    isSecretValue = Boolean(colon) && secretName.test(match);
    return isHidden ? '"[hidden]"' : match;
  });
  return withoutSecrets.replace(/[\w.~+/=-]{16,}/g, (run) => (isErrorWord(run) ? run : '[hidden]'));
}

function isErrorWord(run: string): boolean {
  return /^[A-Z]+(_[A-Z]+)+\.?$/.test(run);
}
