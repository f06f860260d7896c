import { printable, visibleJson } from './printable.ts';

const replacement = '[hidden]';

/** Minimum length. Shorter secrets occur in ordinary words, so hiding them would give them away. */
const minSecretLength = 4;

/** Shorter secrets are hidden only as whole words: `password` must not become `[hidden]word`. */
const minPartLength = 12;

/** Hides secrets in text, ignoring case. */
export class Secrets {
  readonly #patterns = new Map<string, string>();
  #anySecret: RegExp | undefined;

  /** Adds a secret, with every encoding in which a request or an error may contain it. */
  hide(secret: string): void {
    if (secret.length < minSecretLength) return;
    for (const spelling of listSpellings(secret))
      this.#patterns.set(spelling, buildPattern(spelling));

    // The longest secret comes first. Otherwise a shorter secret that it contains would be replaced
    // first, and the rest would stay visible.
    const longestFirst = [...this.#patterns].sort(([a], [b]) => b.length - a.length);
    const alternatives = longestFirst.map(([, pattern]) => pattern);
    this.#anySecret = new RegExp(alternatives.join('|'), 'giu');
  }

  /** Replaces each secret with `[hidden]`. */
  redact(text: string): string {
    return this.#anySecret ? text.replace(this.#anySecret, replacement) : text;
  }
}

/** Lists a secret as it appears in plain text, in messages, in JSON, in a URL and in a form. */
function listSpellings(secret: string): string[] {
  // A lone surrogate cannot be encoded and is sent as U+FFFD.
  const wellFormed = Buffer.from(secret).toString();
  const inUrl = encodeURIComponent(wellFormed);
  const inForm = new URLSearchParams([['', wellFormed]]).toString().slice(1);
  const inJson = [visibleJson(secret), JSON.stringify(secret)].map((json) => json.slice(1, -1));
  return [secret, printable(secret), ...inJson, inUrl, inForm];
}

/** Builds a pattern that matches a short secret only as a whole word. */
function buildPattern(text: string): string {
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (text.length >= minPartLength) return literal;
  const before = /^[\p{L}\p{N}]/u.test(text) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = /[\p{L}\p{N}]$/u.test(text) ? '(?![\\p{L}\\p{N}])' : '';
  return `${before}${literal}${after}`;
}
