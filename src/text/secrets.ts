import { printable, visibleJson } from './printable.ts';

const replacement = '[hidden]';

/** Shorter values occur inside ordinary words, so hiding them would reveal them. */
const minSecretLength = 4;

/** Shorter values are hidden as whole words only: `password` must not become `[hidden]word`. */
const minPartLength = 12;

/** Removes secrets in any case. */
export class Secrets {
  readonly #patterns = new Map<string, string>();
  #anySecret: RegExp | undefined;

  /** Hides a secret in each encoding that a request or an error could contain. */
  hide(secret: string): void {
    if (secret.length < minSecretLength) return;
    for (const spelling of listSpellings(secret))
      this.#patterns.set(spelling, buildPattern(spelling));

    // The longest comes first. If one secret begins with another, its end must not remain visible.
    const longestFirst = [...this.#patterns].sort(([a], [b]) => b.length - a.length);
    const alternatives = longestFirst.map(([, pattern]) => pattern);
    this.#anySecret = new RegExp(alternatives.join('|'), 'giu');
  }

  /** Replaces each secret by `[hidden]`. */
  redact(text: string): string {
    return this.#anySecret ? text.replace(this.#anySecret, replacement) : text;
  }
}

/** Lists a secret as is, printable, in JSON, in a URL and in a form. */
function listSpellings(secret: string): string[] {
  // A lone surrogate cannot be encoded and is sent as U+FFFD.
  const wellFormed = Buffer.from(secret).toString();
  const inUrl = encodeURIComponent(wellFormed);
  const inForm = new URLSearchParams([['', wellFormed]]).toString().slice(1);
  const inJson = [visibleJson(secret), JSON.stringify(secret)].map((json) => json.slice(1, -1));
  return [secret, printable(secret), ...inJson, inUrl, inForm];
}

/**
 * Builds a pattern. A short secret that begins or ends with a letter is matched only as a whole
 * word.
 */
function buildPattern(text: string): string {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (text.length >= minPartLength) return literal;
  const before = /^[\p{L}\p{N}]/u.test(text) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = /[\p{L}\p{N}]$/u.test(text) ? '(?![\\p{L}\\p{N}])' : '';
  return `${before}${literal}${after}`;
}
