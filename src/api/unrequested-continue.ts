import type { Socket } from 'node:net';

// undici treats an unrequested `100 Continue` as a bad response and closes the connection, although
// the service carries out the call (`onHeadersComplete` in its `client-h1.js`). A client has to
// skip it (RFC 9110, 15.2.1).

/** Removes each `100 Continue` that precedes an answer on a connection. */
export function hideContinue(socket: Socket): void {
  const write = socket.write.bind(socket);
  const read = socket.read.bind(socket);
  let isBeforeAnswer = false;
  let held: Buffer = Buffer.alloc(0);

  // A call is written at once, and the next one only after its answer was read.
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

/** Bytes before an answer, and possibly its beginning. */
interface Beginning {
  /** Bytes passed on to the reader. */
  readonly shown: Buffer;

  /** The beginning of an interim answer whose end has not arrived yet. */
  readonly rest: Buffer;

  /** True once the answer itself has begun. */
  readonly isAnswer: boolean;
}

const interimForm = /^HTTP\/1\.1 1(\d\d)(?: [^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n/;

/** The beginning of an interim answer's status line. */
const openForm = /^HTTP\/1\.1 1(?:\d?$|\d\d(?:$|[ \r]))/;
const openBeginning = 'HTTP/1.1 1';

/** undici's limit for the head of an answer. */
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
