import type { Socket } from 'node:net';

// undici takes a `100 Continue` that it did not ask for as a bad response, and ends the connection
// although the service carries out the call (`onHeadersComplete` in its `client-h1.js`). A client
// has to skip it (RFC 9110, 15.2.1).

/** Takes each `100 Continue` out of what a connection gives before an answer. */
export function hideContinue(socket: Socket): void {
  const write = socket.write.bind(socket);
  const read = socket.read.bind(socket);
  let isBeforeAnswer = false;
  let held: Buffer = Buffer.alloc(0);

  // A call is written in one go, and the next one once its answer is read.
  const writeCall = (...call: Parameters<typeof write>): boolean => {
    isBeforeAnswer = true;
    return write(...call);
  };
  const readAnswer = (size?: number): Buffer | null => {
    const piece: Buffer | null = read(size);
    if (piece === null || !isBeforeAnswer) return piece;

    const { shown, rest, isAnswer } = withoutContinue(Buffer.concat([held, piece]));
    held = rest;
    isBeforeAnswer = !isAnswer;
    return shown.length > 0 ? shown : readAnswer(size);
  };
  Object.assign(socket, { write: writeCall, read: readAnswer });
}

/** What came before an answer, and perhaps its beginning. */
interface Beginning {
  /** What its reader is given. */
  readonly shown: Buffer;

  /** The beginning of an interim answer, if its end has not come yet. */
  readonly rest: Buffer;

  /** True once the answer itself has begun. */
  readonly isAnswer: boolean;
}

const interimForm = /^HTTP\/1\.1 1(\d\d)(?: [^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n/;

/** A status line that has begun to be that of an interim answer. */
const openForm = /^HTTP\/1\.1 1(?:\d?$|\d\d(?:$|[ \r]))/;
const openBeginning = 'HTTP/1.1 1';

/** As undici bounds the head of an answer. */
const headBytesAtMost = 16 * 1024;

function withoutContinue(bytes: Buffer): Beginning {
  const shown: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const text = rest.toString('latin1', 0, headBytesAtMost);
    const [head, digits] = interimForm.exec(text) ?? [];
    if (head === undefined) {
      const mayBeInterim = openBeginning.startsWith(text) || openForm.test(text);
      const isAnswer = !mayBeInterim || rest.length >= headBytesAtMost;
      if (!isAnswer) return { shown: Buffer.concat(shown), rest, isAnswer };
      return { shown: Buffer.concat([...shown, rest]), rest: Buffer.alloc(0), isAnswer };
    }
    if (digits !== '00') shown.push(rest.subarray(0, head.length));
    rest = rest.subarray(head.length);
  }
}
