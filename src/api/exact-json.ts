/** While parsed, each open bracket takes forty times its byte. */
const maxDepth = 1_000;

/** Matches the tokens that matter outside of strings: punctuation and numbers. */
const markOrNumber = /["[\]{},]|[-+.\deE]+/g;

/**
 * Parses JSON; returns `undefined` if the text is not JSON. Integers of 16 or more digits become
 * strings, because a rounded id is a different id.
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

/** Puts long integers in quotation marks; `undefined` if the brackets are nested too deeply. */
function quoteLongIntegers(text: string): string | undefined {
  const pieces: string[] = [];
  let copiedTo = 0;
  let depth = 0;
  // A copy, because `lastIndex` is state.
  const pattern = new RegExp(markOrNumber);

  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [token] = match;
    if (token === '"') {
      pattern.lastIndex = findStringEnd(text, match.index);
      continue;
    }
    if (/^\d{16,}$/.test(token)) {
      pieces.push(text.slice(copiedTo, match.index), `"${token}"`);
      copiedTo = pattern.lastIndex;
      continue;
    }
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth > maxDepth) return undefined;
  }
  pieces.push(text.slice(copiedTo));
  return pieces.join('');
}

/** Finds the end of the JSON string that begins at `start`; the end of `json` if it is open. */
function findStringEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
