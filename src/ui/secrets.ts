import { printable } from '../text/printable.ts';
import { visibleJson } from './visible-json.ts';

/** Shorter values would be found inside ordinary words, and so give themselves away. */
const shortestSecret = 4;
/** Shorter ones are hidden only where they stand as a word: `pass` must not make `[hidden]word` of `password`. */
const certainSecret = 12;

const replacement = '[hidden]';

/** Keeps known secrets out of text. */
export interface Secrets {
  /** Makes a value known as secret, in each spelling in which a request or an error could carry it. */
  hide(secret: string): void;
  /** The text with `[hidden]` in the place of each. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  let known: readonly string[] = [];
  return {
    hide(secret) {
      if (secret.length < shortestSecret) return;
      // Longest first: a secret that begins with another one must not leave its end behind.
      known = [...new Set([...known, ...spellings(secret)])].sort((a, b) => b.length - a.length);
    },
    redact: (text) => known.reduce(redactOne, text),
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
  if (secret.length >= certainSecret) return text.replaceAll(secret, replacement);
  let redacted = '';
  let from = 0;
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, from)) {
    const end = at + secret.length;
    const isInWord = isWordAt(text, at - 1, at) || isWordAt(text, end - 1, end);
    redacted += text.slice(from, at) + (isInWord ? secret : replacement);
    from = end;
  }
  return redacted + text.slice(from);
}

/** Whether both characters are letters or digits, so that a word reaches over the place between them. */
function isWordAt(text: string, first: number, second: number): boolean {
  return [first, second].every((index) => /[\p{L}\p{N}]/u.test(text.charAt(index)));
}
