import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Parameters, parseBody } from './parse-body.ts';
import { ServiceError } from './service-error.ts';

const noBody = Buffer.alloc(0);
const notedBytesAtMost = 2_000;

/** A call of the service as HTTP brought it. */
export class Call {
  readonly body: Buffer;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #parameters: Parameters | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
    this.body = Buffer.isBuffer(request.body) ? request.body : noBody;
  }

  get authorization(): string | undefined {
    return this.#request.headers.authorization;
  }

  get accept(): string | undefined {
    return this.#request.headers.accept;
  }

  /** What the body says, read once. Throws `ServiceError` 400 or 415. */
  get parameters(): Parameters {
    this.#parameters ??= this.#read();
    return this.#parameters;
  }

  /** Aborted when the client is gone; made only for the calls that compute something. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.#reply.raw.once('close', () => controller.abort(new Error('The client is gone.')));
    return controller.signal;
  }

  #read(): Parameters {
    const { body } = this;
    const { headers, note } = this.#request;
    const coding = headers['content-encoding'];
    if (coding !== undefined && coding.toLowerCase() !== 'identity') {
      const error = `A body with Content-Encoding: ${coding.slice(0, 80)} is not taken: send it as it is.`;
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', error);
    }
    const parameters = parseBody(body, note.contentType);
    note.body = body.toString('utf8', 0, notedBytesAtMost);
    return parameters;
  }
}
