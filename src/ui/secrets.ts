import { printable, visibleJson } from '../text/printable.ts';

const replacement = '[hidden]';

/** A shorter value would be found inside ordinary words, and so give itself away. */
const shortestSecret = 4;

/**
 * A piece of a secret that is as long as this is hidden too: whoever echoes a secret may cut it.
 */
const pieceLength = 12;

/** Keeps secrets out of texts, in any case of their letters. */
export class Secrets {
  /**
   * What is hidden where it stands as a word, the longest first: one that begins with another must
   * not leave its end.
   */
  #words: readonly string[] = [];

  /** What is hidden wherever it stands, the longest first. */
  #wholes: readonly string[] = [];

  /** All pieces of the longer secrets. */
  readonly #pieces = new Set<string>();

  /**
   * Hides a secret in each spelling in which a request or an error could carry it, and its pieces.
   */
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

  /**
   * Hides a text that is no secret in pieces, such as an e-mail address, whose end is the name of a
   * host.
   */
  hideWhole(text: string): void {
    if (text.length < shortestSecret) return;
    for (const spelling of spellings(text)) {
      const lower = lowerCase(spelling);
      if (lower.length < pieceLength) this.#words = withLongestFirst(this.#words, lower);
      else this.#wholes = withLongestFirst(this.#wholes, lower);
    }
  }

  /** The text with `[hidden]` in the place of each secret and each piece of one. */
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

  /**
   * Where the pieces that begin at a place, and those that overlap them, are over; the place itself
   * where none begins.
   */
  #endOfPieces(lower: string, start: number): number {
    let end = start;
    for (let at = start; at <= end; at += 1) {
      if (this.#pieces.has(lower.slice(at, at + pieceLength))) end = at + pieceLength;
    }
    return end;
  }
}

/** A text as long as the one given, without the capitals of ASCII, of which tokens are made. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function withLongestFirst(texts: readonly string[], added: string): readonly string[] {
  return [...new Set([...texts, added])].sort((a, b) => b.length - a.length);
}

/**
 * As it is, made printable, in JSON (twice, where one text of JSON quotes another), in a URL, in a
 * form.
 */
function spellings(secret: string): string[] {
  // A lone surrogate, which no encoding can carry, is sent as U+FFFD.
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

/** Whether a place is to be replaced, by where it begins and ends in a text. */
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

/**
 * Whether a place is no part of a longer word: `pass` must not make `[hidden]word` of `password`.
 */
function isWholeWord(text: string, start: number, end: number): boolean {
  const goesOnBefore = isLetter(text[start - 1]) && isLetter(text[start]);
  const goesOnAfter = isLetter(text[end - 1]) && isLetter(text[end]);
  return !goesOnBefore && !goesOnAfter;
}

function isLetter(character = ''): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}
