import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallNote } from '../control/request-log.ts';
import { decodeBody, type Parameters, parseBody } from '../request/parse-body.ts';
import { ServiceError } from '../service/service-error.ts';

const noBody = Buffer.alloc(0);
const notedBytesAtMost = 2_000;

/** A call as HTTP brought it, and where its answer goes. */
export class Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly note: CallNote;
  /** Whole once a handler sees it. */
  body: Buffer = noBody;
  #parameters: Parameters | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, note: CallNote) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.note = note;
  }

  get authorization(): string | undefined {
    return this.incoming.headers.authorization;
  }

  get accept(): string | undefined {
    return this.incoming.headers.accept;
  }

  /** Whether it came by https. */
  get isSecure(): boolean {
    return 'encrypted' in this.incoming.socket;
  }

  /** What the body says, read once. Throws `ServiceError` 400 or 415. */
  get parameters(): Parameters {
    this.#parameters ??= this.#read();
    return this.#parameters;
  }

  /** Aborted when the client is gone; made only for the calls that compute something. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.outgoing.once('close', () => controller.abort(new Error('The client is gone.')));
    return controller.signal;
  }

  #read(): Parameters {
    const { body, note } = this;
    const coding = this.incoming.headers['content-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      const error = `A body with Content-Encoding: ${coding.slice(0, 80)} is not taken: send it as it is.`;
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', error);
    }
    const text = decodeBody(body);
    const parameters = parseBody(text, this.incoming.headers['content-type']);
    note.body = body.length <= notedBytesAtMost ? text : body.toString('utf8', 0, notedBytesAtMost);
    return parameters;
  }
}
