import { IncompleteDataError } from '../errors.ts';

/** Each open bracket takes forty times its byte while it is parsed. */
const depthAtMost = 1_000;

/**
 * A list of campaigns of the 16 MB that an answer may have holds fewer values; `[[],[],[],…` holds
 * five million.
 */
const valuesAtMost = 1_000_000;

/** What matters outside of texts: the marks of JSON, and runs of what numbers are made of. */
const markOrNumber = /["[\]{},]|[-+.\deE]+/g;

/**
 * The JSON of a text, `undefined` for none. Integers of 16 digits and more stay text: an id that is
 * rounded is another report's. Throws `IncompleteDataError` for more than a million values, which
 * would fill the memory.
 */
export function tryJson(text: string): unknown {
  const exact = quoteLongIntegers(text);
  if (exact === undefined) return undefined;
  try {
    return JSON.parse(exact);
  } catch {
    return undefined;
  }
}

/**
 * The text with its long integers in quotation marks; `undefined` where its brackets go too deep.
 */
function quoteLongIntegers(text: string): string | undefined {
  const pieces: string[] = [];
  let copiedTo = 0;
  let depth = 0;
  let values = 0;
  // A pattern of its own keeps its place while this text is read.
  const pattern = new RegExp(markOrNumber);

  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [token] = match;
    if (token === '"') {
      pattern.lastIndex = endOfText(text, match.index);
      continue;
    }
    if (/^\d{16,}$/.test(token)) {
      pieces.push(text.slice(copiedTo, match.index), `"${token}"`);
      copiedTo = pattern.lastIndex;
      continue;
    }
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (token === '[' || token === '{' || token === ',') values += 1;
    if (depth > depthAtMost) return undefined;
    if (values > valuesAtMost) {
      throw new IncompleteDataError('The answer holds more than a million values.', {
        retryable: false,
        hint: 'Is the base URL the reporting service’s? adreport whoami shows it.',
      });
    }
  }
  pieces.push(text.slice(copiedTo));
  return pieces.join('');
}

/**
 * Where the text of JSON that begins at a quotation mark is over; the end of all where it is not
 * closed.
 */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
