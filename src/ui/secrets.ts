import { printable, visibleJson } from '../text/printable.ts';

const replacement = '[hidden]';

/** Shorter values occur inside ordinary words, so hiding them would reveal them. */
const shortestSecret = 4;

/** Pieces of a secret with this length are hidden too, because an echoed secret may be cut. */
const pieceLength = 12;

/** Removes secrets from texts, in any case. */
export class Secrets {
  /**
   * Hidden as whole words. Longest first: if one word begins with another, its end must not remain.
   */
  #words: readonly string[] = [];

  /** Hidden anywhere, longest first. */
  #wholes: readonly string[] = [];

  /** All pieces of the longer secrets. */
  readonly #pieces = new Set<string>();

  /** Hides a secret and its pieces, in each encoding a request or an error could contain. */
  hide(secret: string): void {
    if (secret.length < shortestSecret) return;
    for (const spelling of spellings(secret)) {
      const lower = lowerCase(spelling);
      if (lower.length < pieceLength) this.#words = withLongestFirst(this.#words, lower);
      for (let at = 0; at + pieceLength <= lower.length; at += 1) {
        this.#pieces.add(lower.slice(at, at + pieceLength));
      }
    }
  }

  /** Hides a text but not its pieces, such as an e-mail address, which contains a host name. */
  hideWhole(text: string): void {
    if (text.length < shortestSecret) return;
    for (const spelling of spellings(text)) {
      const lower = lowerCase(spelling);
      if (lower.length < pieceLength) this.#words = withLongestFirst(this.#words, lower);
      else this.#wholes = withLongestFirst(this.#wholes, lower);
    }
  }

  /** Replaces each secret and each piece of one by `[hidden]`. */
  redact(text: string): string {
    let redacted = this.#withoutPieces(text);
    for (const whole of this.#wholes) redacted = replaceEach(redacted, whole, () => true);
    for (const word of this.#words) redacted = replaceEach(redacted, word, isWholeWord);
    return redacted;
  }

  #withoutPieces(text: string): string {
    if (this.#pieces.size === 0) return text;
    const lower = lowerCase(text);
    let redacted = '';
    let copiedTo = 0;
    let at = 0;
    while (at + pieceLength <= text.length) {
      const end = this.#endOfPieces(lower, at);
      if (end === at) {
        at += 1;
        continue;
      }
      redacted += text.slice(copiedTo, at) + replacement;
      copiedTo = end;
      at = end;
    }
    return redacted + text.slice(copiedTo);
  }

  /** The end of the piece at `start` and all overlapping ones; `start` if there is no piece. */
  #endOfPieces(lower: string, start: number): number {
    let end = start;
    for (let at = start; at <= end; at += 1) {
      if (this.#pieces.has(lower.slice(at, at + pieceLength))) end = at + pieceLength;
    }
    return end;
  }
}

/** Lower-cases ASCII letters only, which keeps the length. Tokens are ASCII. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function withLongestFirst(texts: readonly string[], added: string): readonly string[] {
  return [...new Set([...texts, added])].sort((a, b) => b.length - a.length);
}

/** A secret as is, printable, in JSON (also JSON within JSON), in a URL and in a form. */
function spellings(secret: string): string[] {
  // A lone surrogate cannot be encoded and is sent as U+FFFD.
  const wellFormed = Buffer.from(secret).toString();
  const inUrl = encodeURIComponent(wellFormed);
  const inForm = new URLSearchParams([['', wellFormed]]).toString().slice(1);

  const inJson: string[] = [];
  for (const write of [visibleJson, JSON.stringify]) {
    const once = write(secret).slice(1, -1);
    inJson.push(once, write(once).slice(1, -1));
  }
  return [secret, printable(secret), ...inJson, inUrl, inForm];
}

/** True if the range should be replaced. */
type IsReplaced = (text: string, start: number, end: number) => boolean;

function replaceEach(text: string, lowerSecret: string, isReplaced: IsReplaced): string {
  const lower = lowerCase(text);
  let replaced = '';
  let copiedTo = 0;
  for (let at = lower.indexOf(lowerSecret); at !== -1; at = lower.indexOf(lowerSecret, at)) {
    const end = at + lowerSecret.length;
    if (isReplaced(text, at, end)) {
      replaced += text.slice(copiedTo, at) + replacement;
      copiedTo = end;
    }
    at = end;
  }
  return replaced + text.slice(copiedTo);
}

/** True if a range is not part of a longer word: `password` must not become `[hidden]word`. */
function isWholeWord(text: string, start: number, end: number): boolean {
  const continuesBefore = isLetter(text[start - 1]) && isLetter(text[start]);
  const continuesAfter = isLetter(text[end - 1]) && isLetter(text[end]);
  return !continuesBefore && !continuesAfter;
}

function isLetter(character = ''): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
