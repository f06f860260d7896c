import { findReportId, readText, recordIn } from '../../api/answers.ts';
import { tryJson } from '../../api/exact-json.ts';
import {
  parseRetryAfter,
  requestOf,
  retryPauseMs,
  type SentCall,
  temporaryStatuses,
} from '../../api/exchange.ts';
import type { Http, HttpResponse } from '../../api/http.ts';
import { TransportError } from '../../api/transport-error.ts';
import type { Context } from '../../context.ts';
import { isLabelledCsv, isPage } from '../../contract/body-kind.ts';
import { endpoints } from '../../contract/messages.ts';
import { codeOf, IncompleteDataError, RejectedError, UnreachableError } from '../../errors.ts';
import { KeyNames, shapeOf } from './body-shape.ts';

/** One call of the examination. */
export interface RawCall extends SentCall {
  /**
   * Whether the service is meant to refuse the call: then an answer of 5xx that stays is an answer,
   * too.
   */
  readonly isMeantToFail?: boolean;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;

  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;

  /** Of the text; `undefined` where it is no JSON. */
  readonly json: unknown;

  /** Why the answer could not be read, one sentence. */
  readonly error?: string;
}

/** What makes the calls. */
export interface ServiceCallsOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly host: Context['host'];

  /** Told of each exchange once it is over. */
  readonly onExchange?: ((call: RawCall, answer: RawAnswer) => void) | undefined;
}

const triesAtMost = 5;
const longestPauseMs = 5 * 60_000;

/**
 * Calls of the service whose answers are seen as they came, status and headers included. The client
 * hides what it can read all the same; here that is what is asked about.
 */
export class ServiceCalls {
  readonly #options: ServiceCallsOptions;

  constructor(options: ServiceCallsOptions) {
    this.#options = options;
  }

  /**
   * Makes a call, again where the service asks to come back later. Throws `UnreachableError` where
   * it cannot be reached, or goes on answering 429 or 5xx.
   */
  async send(call: RawCall): Promise<RawAnswer> {
    const { host, onExchange } = this.#options;

    for (let tries = 1; ; tries += 1) {
      const answer = await this.#exchange(call);
      onExchange?.(call, answer);

      const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], host.wallClock());
      // The service says that it did nothing, and when to come back.
      const isForNow =
        answer.status === 429 || (answer.status === 503 && retryAfterMs !== undefined);
      const isTemporary = isForNow || temporaryStatuses.includes(answer.status);
      if (!isTemporary) return answer;

      // A create makes a report each time that it is carried out.
      const mayRepeat = isForNow || call.endpoint !== 'buyer';
      if (tries === triesAtMost || !mayRepeat) {
        if (call.isMeantToFail && !isForNow) return answer;
        throw unreachable(call, answer);
      }
      const pauseMs = retryPauseMs(tries, retryAfterMs ?? 0, host.random);
      await host.sleep(Math.min(pauseMs, longestPauseMs), host.signal);
    }
  }

  async #exchange(call: RawCall): Promise<RawAnswer> {
    let status = 0;
    let headers: RawAnswer['headers'] = {};
    try {
      const { http, baseUrl, host } = this.#options;
      const response = await http.send(requestOf(call, { baseUrl, signal: host.signal }));
      status = response.status;
      headers = response.headers;
      return await readAnswer(response);
    } catch (error) {
      if (error instanceof TransportError) throw error.error;
      return { status, headers, text: '', json: undefined, error: readErrorOf(error) };
    }
  }
}

async function readAnswer(response: HttpResponse): Promise<RawAnswer> {
  const { status, headers } = response;
  response.allowTime();
  const text = await readText(response);
  return { status, headers, text, json: tryJson(text.replace(/^\ufeff/, '')) };
}

/** Why an answer could not be read; rethrows an error that is not the answer’s. */
function readErrorOf(error: unknown): string {
  const isOfAnswer = error instanceof IncompleteDataError || error instanceof RejectedError;
  if (isOfAnswer) return error.message;

  const isDecompression = /^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(error) ?? '');
  if (isDecompression) return 'The compressed answer is damaged or cut short.';
  throw error;
}

function unreachable({ endpoint }: RawCall, { status }: RawAnswer): UnreachableError {
  const { path } = endpoints[endpoint];
  return new UnreachableError(`The service answers ${path} with ${status} for now.`, {
    hint: 'Run it again later.',
  });
}

const longestDescription = 160;

/**
 * An answer in a few words: its status, and the service's word for an error or the shape of its
 * body, without any value.
 */
export function describeAnswer(answer: RawAnswer): string {
  const { status, error } = answer;
  if (error !== undefined) return status === 0 ? error : `${status}: ${error}`;

  const { errorId = '' } = recordIn(answer.json);
  const isWord = /^[A-Z]+(?:_[A-Z]+)*$/.test(errorId);
  return isWord ? `${status} ${errorId}` : `${status} with ${describeBody(answer)}`;
}

function describeBody(answer: RawAnswer): string {
  const { text, json, headers } = answer;
  if (json !== undefined) {
    const shape = JSON.stringify(shapeOf(json, new KeyNames(true)));
    return shape.length > longestDescription ? `${shape.slice(0, longestDescription)}…` : shape;
  }

  if (text === '') return 'an empty body';
  const contentType = headers['content-type'];
  if (isPage(text, contentType)) return 'a web page';
  return isLabelledCsv(contentType) ? 'CSV' : `a text of ${text.length} characters that is no JSON`;
}

/**
 * The id of a report that an answer holds; `undefined` where there is none, or the answer is an
 * error.
 */
export function reportIdIn({ status, json }: RawAnswer): string | undefined {
  const isSuccess = status >= 200 && status <= 299;
  return isSuccess && !recordIn(json).isError ? findReportId(json) : undefined;
}
