/** Where a text stops being JSON: the index of the first character that cannot stand there, or the length of one that ends too early. */
export function brokenJsonAt(text: string): number {
  /** The brackets that are open, innermost last; kept apart from the call stack, which deep nesting would exhaust. */
  const open: string[] = [];
  let wanted: 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'nothing' = 'value';
  let at = 0;
  for (;;) {
    at = endOf(blanks, text, at);
    const character = text[at];
    if (character === undefined) return at;
    const isValue = wanted === 'value' || wanted === 'first value';
    if (isValue && (character === '{' || character === '[')) {
      open.push(character);
      wanted = character === '{' ? 'first name' : 'first value';
      at += 1;
    } else if (closes(character, open.at(-1), wanted)) {
      open.pop();
      wanted = open.length > 0 ? 'comma' : 'nothing';
      at += 1;
    } else if (wanted === 'comma' && character === ',') {
      wanted = open.at(-1) === '{' ? 'name' : 'value';
      at += 1;
    } else if (wanted === 'colon' && character === ':') {
      wanted = 'value';
      at += 1;
    } else {
      const isName: boolean = wanted === 'name' || wanted === 'first name';
      if (!isValue && !(isName && character === '"')) return at;
      const token = character === '"' ? readString(text, at) : readWord(text, at);
      at = token.end;
      if (!token.isWhole) return at;
      wanted = isName ? 'colon' : open.length > 0 ? 'comma' : 'nothing';
    }
  }
}

function closes(character: string, open: string | undefined, wanted: string): boolean {
  if (character === '}') return open === '{' && (wanted === 'comma' || wanted === 'first name');
  return character === ']' && open === '[' && (wanted === 'comma' || wanted === 'first value');
}

interface Token {
  readonly end: number;
  readonly isWhole: boolean;
}

const blanks = /[ \t\n\r]*/y;
/** Everything but quotes, backslashes and control characters. */
const plain = /[ !#-[\]-\uffff]*/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Where what a sticky pattern matches ends; `from` where it matches nothing. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

function readString(text: string, from: number): Token {
  for (let at = from + 1; ; ) {
    at = endOf(plain, text, at);
    if (text[at] === '"') return { end: at + 1, isWhole: true };
    const end = endOf(escaped, text, at);
    if (end === at) return { end: at, isWhole: false };
    at = end;
  }
}

function readWord(text: string, from: number): Token {
  const end = endOf(word, text, from);
  return { end, isWhole: end > from };
}

/** The offset of the first byte that is not UTF-8, in bytes that are not. */
export function brokenUtf8At(bytes: Buffer): number {
  const good = bytes.toString('utf8').split('\ufffd');
  let at = Buffer.byteLength(good[0] ?? '');
  // A decoder puts U+FFFD where it fails; one that was sent has three bytes of its own.
  for (let next = 1; bytes.subarray(at, at + replacement.length).equals(replacement); next += 1) {
    at += replacement.length + Buffer.byteLength(good[next] ?? '');
  }
  return at;
}

const replacement = Buffer.from('\ufffd');
