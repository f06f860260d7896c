import { printable, visibleJson } from '../text/printable.ts';

/** Keeps known secrets out of text. */
export function createSecrets() {
  let known: readonly string[] = [];
  return {
    /** Makes a value known as secret, in each spelling in which a request or an error could carry it. */
    hide(secret: string): void {
      // Shorter values would be found inside ordinary words, and so give themselves away.
      if (secret.length < 4) return;
      // Longest first: a secret that begins with another one must not leave its end behind.
      known = [...new Set([...known, ...spellings(secret)])].sort((a, b) => b.length - a.length);
    },
    /** The text with `[hidden]` in the place of each. */
    redact: (text: string): string => known.reduce(redactOne, text),
  };
}

/** As it is, made printable, in JSON (twice, where one text of JSON quotes another), in a URL, in a form. */
function spellings(secret: string): string[] {
  // A lone surrogate, which no encoding can carry, is sent as U+FFFD.
  const wellFormed = Buffer.from(secret).toString();
  const inForm = new URLSearchParams([['', wellFormed]]).toString().slice(1);
  const inJson = [visibleJson, JSON.stringify].flatMap((write) => {
    const once = write(secret).slice(1, -1);
    return [once, write(once).slice(1, -1)];
  });
  return [secret, printable(secret), ...inJson, encodeURIComponent(wellFormed), inForm];
}

function redactOne(text: string, secret: string): string {
  const replacement = '[hidden]';
  // Shorter ones are hidden only where they stand as a word: `pass` must not make `[hidden]word` of `password`.
  if (secret.length >= 12) return text.replaceAll(secret, replacement);
  const isWord = (character = ''): boolean => /[\p{L}\p{N}]/u.test(character);
  return text.replaceAll(secret, (found: string, at: number) => {
    const end = at + found.length;
    const isInWord = (isWord(text[at - 1]) && isWord(text[at])) || (isWord(text[end - 1]) && isWord(text[end]));
    return isInWord ? found : replacement;
  });
}
