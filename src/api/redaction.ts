/**
 * Removes known secrets from what the service sends. Apply it before shortening, which could leave
 * part of a secret.
 */
export type Redact = (text: string) => string;

/** Matches a JSON string, closed or not, and the colon after a name. Does not backtrack. */
const jsonText = /"(?:[^"\\]|\\[\s\S])*"?(\s*:)?/g;

const secretName = /token|key|secret|session|auth/i;

/**
 * Hides possible tokens in the response to a sign-in: values with a telling name, and runs of 16 or
 * more characters except error codes in capitals.
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
