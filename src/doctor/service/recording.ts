import { tryJson } from '../../api/exact-json.ts';
import { isLabelledCsv, isPage } from '../../contract/body-kind.ts';
import { endpoints } from '../../contract/messages.ts';
import { KeyNames, type Shape, shapeOf } from './body-shape.ts';
import type { RawAnswer, RawCall } from './calls.ts';

/** Facts on the program and its settings that do not identify the user. */
export interface RecordingFacts {
  readonly adreport: string;
  readonly node: string;
  readonly platform: string;
  readonly profile: string;
  readonly encoding: string;
  readonly windowClock: string;
  readonly isLocal: boolean;
  readonly hasProxy: boolean;
}

/** The result of each statement by its number, without details. */
export type RecordedResults = Readonly<Record<string, string>>;

/** The shape of a body and its declared type. */
interface RecordedBody {
  readonly type: string;

  /** `null` for a sign-in, because the size would reveal the length of the password. */
  readonly bytes: number | null;
  readonly shape: Shape;
}

interface RecordedExchange {
  readonly call: string;

  /** The way the token was sent. */
  readonly authorization: string;
  readonly request: { readonly headers: readonly string[]; readonly body: RecordedBody | null };
  readonly status: number;
  readonly response: { readonly headers: readonly string[]; readonly body: RecordedBody | null };
}

/** An exchange, counted with the equal ones that follow it directly. */
interface CountedExchange extends RecordedExchange {
  times: number;
}

const maxBytes = 200_000;

/** Header names that identify no one. */
// biome-ignore format: a list of words reads as a paragraph
const plainHeaders: ReadonlySet<string> = new Set([
  'accept', 'accept-encoding', 'accept-ranges', 'access-control-allow-origin', 'age', 'allow', 'alt-svc', 'authorization',
  'cache-control', 'connection', 'content-disposition', 'content-encoding', 'content-language', 'content-length',
  'content-security-policy', 'content-type', 'date', 'etag', 'expires', 'keep-alive', 'last-modified', 'link', 'location',
  'pragma', 'referrer-policy', 'retry-after', 'server', 'set-cookie', 'strict-transport-security', 'trailer',
  'transfer-encoding', 'upgrade', 'user-agent', 'vary', 'via', 'www-authenticate', 'x-content-type-options',
  'x-frame-options', 'x-powered-by', 'x-request-id', 'x-xss-protection',
]);

const plainTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'text/csv',
  'text/html',
  'text/plain',
];
const plainCharsets = ['utf-8', 'us-ascii', 'iso-8859-1', 'windows-1252'];

/** An encoded form: `auth[email]=a%40b&x=1`. */
const formPattern = /^[\w.%+[\]-]+=[^\s=&]*(?:&[\w.%+[\]-]+=[^\s=&]*)*$/;

/**
 * Records the shapes of all exchanges. Only words on a list of allowed ones are kept, so it has no
 * value, name, id, address or token. Other keys and headers become `key1` and `header1`.
 */
export class ServiceRecording {
  readonly #exchanges: CountedExchange[] = [];
  readonly #keys = new KeyNames(false);
  readonly #headers = new KeyNames(false, 'header', plainHeaders);

  /** Cells of a first CSV line that may not be a header. */
  readonly #cells = new KeyNames(false, 'cell');

  get length(): number {
    return this.#exchanges.length;
  }

  add(
    { endpoint, body, authorization, accept = 'application/json' }: RawCall,
    answer: RawAnswer,
  ): void {
    const { method, path } = endpoints[endpoint];
    const sentHeaders: string[] = [];
    if (accept !== null) sentHeaders.push('accept');
    if (body) sentHeaders.push('content-type');
    if (authorization !== undefined) sentHeaders.push('authorization');

    const sentBody = body ? this.#bodyOf(body.text, body.contentType) : null;
    const isSignIn = endpoint === 'auth';

    const exchange: RecordedExchange = {
      call: `${method} ${path}`,
      authorization: describeAuthorization(authorization),
      request: {
        headers: sentHeaders,
        body: sentBody && isSignIn ? { ...sentBody, bytes: null } : sentBody,
      },
      status: answer.status,
      response: {
        headers: Object.keys(answer.headers).map((name) => this.#headers.nameOf(name)),
        body: answer.error === undefined ? this.#answerOf(answer) : null,
      },
    };

    const last = this.#exchanges.at(-1);
    const isRepeated =
      last && JSON.stringify({ ...exchange, times: last.times }) === JSON.stringify(last);
    if (isRepeated) last.times += 1;
    else this.#exchanges.push({ ...exchange, times: 1 });
  }

  /** The recording as readable JSON below 200 KB; exchanges that do not fit are only counted. */
  toText(facts: RecordingFacts, statements: RecordedResults): string {
    let count = this.#exchanges.length;
    for (;;) {
      const exchanges = this.#exchanges.slice(0, count);
      const leftOut = this.#exchanges.length - count;
      const text = `${formatJson({ ...facts, statements, exchanges, leftOut })}\n`;
      const bytes = Buffer.byteLength(text);
      if (bytes < maxBytes || count === 0) return text;

      const fitting = Math.floor(count * (maxBytes / bytes));
      count = Math.min(count - 1, fitting);
    }
  }

  #answerOf({ text, headers }: RawAnswer): RecordedBody {
    return this.#bodyOf(text, headers['content-type']);
  }

  #bodyOf(text: string, contentType: string | undefined): RecordedBody {
    const type = plainTypeOf(contentType);
    return { type, bytes: Buffer.byteLength(text), shape: this.#shapeOfText(text, type) };
  }

  #shapeOfText(text: string, type: string): Shape {
    const json = tryJson(text.replace(/^\ufeff/, ''));
    if (json !== undefined) return shapeOf(json, this.#keys);
    if (isPage(text)) return 'a web page';
    if (type.startsWith('application/x-www-form-urlencoded') && this.#isForm(text)) {
      return shapeOf(Object.fromEntries(new URLSearchParams(text)), this.#keys);
    }
    if (isLabelledCsv(type)) return this.#shapeOfCsv(text);
    return shapeOf(text, this.#keys);
  }

  /** True if a text declared as a form has a known field, so that it is not just any text. */
  #isForm(text: string): boolean {
    if (!formPattern.test(text)) return false;
    const fields = [...new URLSearchParams(text).keys()];
    return fields.some((field) => this.#keys.isKnown(field.replace(/\[.*$/, '')));
  }

  /** The column names, delimiter and number of lines of a CSV body. */
  #shapeOfCsv(text: string): Shape {
    const [head = '', ...lines] = text.split(/\r?\n/);
    const delimiter = head.includes(';') ? ';' : ',';
    const cells = head
      .replace(/^\ufeff/, '')
      .split(delimiter)
      .slice(0, 80);
    const names = cells.map((cell) => cell.replaceAll('"', ''));
    // A line without any known name may be a row or any other text.
    const isHeader = names.some((name) => this.#keys.isKnown(name));
    const keys = isHeader ? this.#keys : this.#cells;
    const columns = names.map((name) => keys.nameOf(name));
    const isCarriageReturned = text.includes('\r\n');
    return {
      columns,
      delimiter: delimiter === ';' ? 'semicolon' : 'comma',
      'line ends': isCarriageReturned ? 'CR LF' : 'LF',
      'lines below the header': String(lines.filter((line) => line !== '').length),
    };
  }
}

const lineWidth = 100;

/** Formats JSON: a value that fits is on one line, otherwise each of its members is. */
function formatJson(value: unknown, indent = ''): string {
  const onOneLine = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  const isScalar = typeof value !== 'object' || value === null;
  if (isScalar || indent.length + onOneLine.length <= lineWidth) return onOneLine;

  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + formatJson(item, inner));
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${inner}${JSON.stringify(key)}: ${formatJson(member, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

function describeAuthorization(authorization: string | undefined): string {
  if (authorization === undefined) return 'none';
  return authorization.startsWith('Bearer ') ? 'the token after Bearer' : 'the bare token';
}

/** A media type and charset, without any that is not on the lists above. */
function plainTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) return 'no type';

  const [media = '', ...parameters] = contentType.toLowerCase().split(';');
  const plainMedia = plainTypes.find((name) => name === media.trim()) ?? 'another type';
  const declared = parameters.map((parameter) => parameter.trim().replaceAll('"', ''));
  const charset = plainCharsets.find((name) => declared.includes(`charset=${name}`));
  return charset === undefined ? plainMedia : `${plainMedia}; charset=${charset}`;
}
