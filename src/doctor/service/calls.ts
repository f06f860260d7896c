import { findReportId, readText, recordIn } from '../../api/answers.ts';
import { tryJson } from '../../api/exact-json.ts';
import { parseRetryAfter, requestOf, retryPauseMs, type SentCall } from '../../api/exchange.ts';
import type { Http, HttpResponse } from '../../api/http.ts';
import { isTemporaryStatus } from '../../api/refusal.ts';
import { TransportError } from '../../api/transport-error.ts';
import type { Context } from '../../context.ts';
import { isLabelledCsv, isPage } from '../../contract/body-kind.ts';
import { endpoints } from '../../contract/messages.ts';
import { codeOf, IncompleteDataError, RejectedError, UnreachableError } from '../../errors.ts';
import { formatPlural } from '../../text/quantity.ts';
import { KeyNames, shapeOf } from './body-shape.ts';

/** One call of the examination. */
export interface RawCall extends SentCall {
  /** True if the service should refuse the call: a lasting 5xx is then returned, not thrown. */
  readonly expectsRefusal?: boolean;
}

/** The answer to a call, uninterpreted. */
export interface RawAnswer {
  readonly status: number;

  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;

  /** The parsed text; `undefined` if it is not JSON. */
  readonly json: unknown;

  /** Why the answer could not be read, in one sentence. */
  readonly error?: string;
}

export interface ServiceCallsOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly host: Context['host'];

  /** Called after each exchange. */
  readonly onExchange?: ((call: RawCall, answer: RawAnswer) => void) | undefined;
}

const maxTries = 5;
const maxPauseMs = 5 * 60_000;

/**
 * Calls the service and returns its answers with status and headers. The usual client smooths over
 * deviations that the examination has to see.
 */
export class ServiceCalls {
  readonly #options: ServiceCallsOptions;

  constructor(options: ServiceCallsOptions) {
    this.#options = options;
  }

  /**
   * Makes a call, and repeats it if the service is temporarily unavailable. Throws
   * `UnreachableError` if it cannot be reached or keeps answering 429 or 5xx.
   */
  async send(call: RawCall): Promise<RawAnswer> {
    const { host, onExchange } = this.#options;

    for (let tries = 1; ; tries += 1) {
      const answer = await this.#exchange(call);
      onExchange?.(call, answer);

      const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], host.wallClock());
      // These answers mean that the service did nothing.
      const isPostponed =
        answer.status === 429 || (answer.status === 503 && retryAfterMs !== undefined);
      const isTemporary = isPostponed || isTemporaryStatus(answer.status);
      if (!isTemporary) return answer;

      // A create that succeeds twice makes two reports.
      const mayRepeat = isPostponed || call.endpoint !== 'buyer';
      if (tries === maxTries || !mayRepeat) {
        if (call.expectsRefusal && !isPostponed) return answer;
        throw unreachable(call, answer);
      }
      const pauseMs = retryPauseMs(tries, retryAfterMs ?? 0, host.random);
      await host.sleep(Math.min(pauseMs, maxPauseMs), host.signal);
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

/** The reason why an answer could not be read. Rethrows errors that the answer did not cause. */
function readErrorOf(error: unknown): string {
  const isAnswerError = error instanceof IncompleteDataError || error instanceof RejectedError;
  if (isAnswerError) return error.message;

  const isDecompression = /^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/.test(codeOf(error) ?? '');
  if (isDecompression) return 'The compressed answer is damaged or cut short.';
  throw error;
}

function unreachable({ endpoint }: RawCall, { status }: RawAnswer): UnreachableError {
  const { path } = endpoints[endpoint];
  return new UnreachableError(`The service answered ${path} with status ${status}.`, {
    hint: 'Try again later.',
  });
}

const maxDescriptionLength = 160;

/** Describes an answer by its status and its error code or body shape, without values. */
export function describeAnswer(answer: RawAnswer): string {
  const { status, error } = answer;
  if (error !== undefined) return status === 0 ? error : `${status}: ${error}`;

  const { errorId = '' } = recordIn(answer.json);
  const isCode = /^[A-Z]+(?:_[A-Z]+)*$/.test(errorId);
  return isCode ? `${status} ${errorId}` : `${status} with ${describeBody(answer)}`;
}

function describeBody(answer: RawAnswer): string {
  const { text, json, headers } = answer;
  if (json !== undefined) {
    const shape = JSON.stringify(shapeOf(json, new KeyNames(true)));
    return shape.length > maxDescriptionLength ? `${shape.slice(0, maxDescriptionLength)}…` : shape;
  }

  if (text === '') return 'an empty body';
  const contentType = headers['content-type'];
  if (isPage(text, contentType)) return 'a web page';
  const isCsv = isLabelledCsv(contentType);
  return isCsv ? 'CSV' : `text that is not JSON (${formatPlural(text.length, 'character')})`;
}

/** The report id in an answer; `undefined` if it has none or is an error. */
export function reportIdIn({ status, json }: RawAnswer): string | undefined {
  const isSuccess = status >= 200 && status <= 299;
  return isSuccess && !recordIn(json).isError ? findReportId(json) : undefined;
}
