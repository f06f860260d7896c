import { printable } from '../text/printable.ts';
import { visibleJson } from './visible-json.ts';

/** Shorter values would be found inside ordinary words, and so give themselves away. */
const shortestSecret = 4;

const replacement = '[hidden]';

/** Keeps known secrets out of text. */
export interface Secrets {
  /** Makes a value known as secret, in each spelling in which a request could carry it. */
  hide(secret: string): void;
  /** The text with `[hidden]` in the place of each. */
  redact(text: string): string;
}

export function createSecrets(): Secrets {
  const known = new Set<string>();
  let pattern: RegExp | undefined;
  return {
    hide(secret) {
      if (secret.length < shortestSecret) return;
      for (const spelling of spellings(secret)) known.add(spelling);
      // Longest first: a secret that begins with another one must not leave its end behind.
      const longestFirst = [...known].sort((a, b) => b.length - a.length);
      pattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g');
    },
    redact: (text) => (pattern ? text.replace(pattern, replacement) : text),
  };
}

/** As it is, made printable, in JSON, in a URL, in a form. */
function spellings(secret: string): string[] {
  // A lone surrogate, which no encoding can carry, is sent as U+FFFD.
  const wellFormed = Buffer.from(secret).toString();
  const inUrl = encodeURIComponent(wellFormed);
  const inForm = new URLSearchParams([['', wellFormed]]).toString().slice(1);
  return [secret, printable(secret), visibleJson(secret).slice(1, -1), inUrl, inForm];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
