import { recordIn } from '../../api/answers.ts';
import { type CallBody, parseRetryAfter } from '../../api/exchange.ts';
import { isNotYet, type Pace, poll } from '../../api/poll.ts';
import type { Context } from '../../context.ts';
import { type Encoding, outcomeOf, type ReportRequest } from '../../contract/messages.ts';
import { pauseAfter } from '../../report/poll-interval.ts';
import { encodeRequest } from '../../report/request.ts';
import { formatDuration } from '../../text/quantity.ts';
import type { Progress } from '../../ui/progress.ts';
import { describeAnswer, type RawAnswer, reportIdIn, type ServiceCalls } from './calls.ts';
import { TrialSkipped } from './trial.ts';
import { documentIn, quoteStatus, type ReportDocument, statusWordIn } from './trial-answers.ts';

export interface OrderOptions {
  readonly encoding?: Encoding;
  readonly accept?: string | null;
  readonly expectsRefusal?: boolean;
}
export interface ReportOrdersOptions {
  readonly calls: ServiceCalls;
  readonly host: Context['host'];
  readonly progress: Progress;
}

const maxWaitMs = 10 * 60_000;

/** The wait ends after this many successive answers without a status. */
const maxAnswersWithoutStatus = 3;

/** Creates, waits for and downloads reports, and returns the answers uninterpreted. */
export class ReportOrders {
  /** The encoding of bodies; `form` once the service has refused JSON. */
  encoding: Encoding = 'json';
  token: string | undefined;

  /** The first status that differed from its description; `undefined` if none did. */
  statusDifference: string | undefined;
  readonly #calls: ServiceCalls;
  readonly #host: Context['host'];
  readonly #progress: Progress;

  constructor({ calls, host, progress }: ReportOrdersOptions) {
    this.#calls = calls;
    this.#host = host;
    this.#progress = progress;
  }

  create(request: ReportRequest, options: OrderOptions = {}): Promise<RawAnswer> {
    return this.send(encodeRequest(request, options.encoding ?? this.encoding), options);
  }

  /** Makes a create call with any body. */
  send(body: CallBody, { accept, expectsRefusal }: OrderOptions = {}): Promise<RawAnswer> {
    const authorization = this.token;
    return this.#calls.send({ endpoint: 'buyer', body, authorization, accept, expectsRefusal });
  }

  /**
   * Waits for the report of a create call and downloads it. `what` names it in messages. Throws
   * `TrialSkipped` if that fails.
   */
  async fetch(created: RawAnswer, what: string): Promise<ReportDocument> {
    const id = reportIdIn(created);
    if (id === undefined) {
      throw new TrialSkipped(`${what} was not created: ${describeAnswer(created)}`);
    }

    const words = await this.waitUntilOver(id, what);
    const word = words.at(-1) ?? '';
    if (outcomeOf(word) === 'failed') {
      throw new TrialSkipped(`${what} ended with the status ${quoteStatus(word)}`);
    }
    return requireDocument(await this.downloadReady(id), what);
  }

  /**
   * Polls the status until the report is ready or has failed, and returns every status. Throws
   * `TrialSkipped` if it takes too long.
   */
  async waitUntilOver(id: string, what: string): Promise<string[]> {
    const meter = this.#progress.wait(what.replace(/^the/, 'The'));
    const words: string[] = [];

    const pollStatus = async () => {
      const answer = await this.status(id);
      const word = statusWordIn(answer);
      words.push(word);
      const isOver = outcomeOf(word) !== 'progress';
      if (!isOver) this.#giveUpWithoutStatus(words, answer);
      return { seen: word, isOver, retryAfterMs: this.#retryAfterMs(answer) };
    };
    try {
      const { seen: word, isOver } = await poll(pollStatus, {
        ...this.#pace(maxWaitMs),
        onPoll: ({ seen: status, polls, waitedMs, nextPauseMs = 0 }) =>
          meter.update({ status, waitedMs, polls, nextPollMs: nextPauseMs }),
      });
      if (isOver) return words;

      this.statusDifference ??= `it reported ${quoteStatus(word)} for ${formatDuration(maxWaitMs)}`;
      throw new TrialSkipped(`${what} was not ready in time`);
    } finally {
      meter.stop();
    }
  }

  #pace(timeoutMs: number): Pace {
    const { stopwatch: clock, sleep, signal } = this.#host;
    return { pauseAfter, timeoutMs, clock, sleep, signal };
  }

  #retryAfterMs({ headers }: RawAnswer): number | undefined {
    return parseRetryAfter(headers['retry-after'], this.#host.wallClock());
  }

  /** Throws `TrialSkipped` if the last answers had no status. */
  #giveUpWithoutStatus(words: readonly string[], answer: RawAnswer): void {
    const lastWords = words.slice(-maxAnswersWithoutStatus);
    const isHopeless =
      lastWords.length === maxAnswersWithoutStatus && lastWords.every((word) => word === '');
    if (!isHopeless) return;

    const description = describeAnswer(answer);
    this.statusDifference ??= `the answer has no status: ${description}`;
    throw new TrialSkipped(`the answer to the status call has no status: ${description}`);
  }

  status(id: string): Promise<RawAnswer> {
    return this.#calls.send({
      endpoint: 'status',
      body: this.#bodyOfId(id),
      authorization: this.token,
    });
  }

  /** Asks for the status of a report that does not exist. */
  statusOfUnknown(authorization: string | undefined): Promise<RawAnswer> {
    const body = this.#bodyOfId(unknownId);
    return this.#calls.send({ endpoint: 'status', body, authorization, expectsRefusal: true });
  }

  download(id: string, accept?: string | null): Promise<RawAnswer> {
    const body = this.#bodyOfId(id);
    return this.#calls.send({ endpoint: 'download', body, authorization: this.token, accept });
  }

  /** Downloads a report that is ready; tries again for a while if the answer is that it is not. */
  async downloadReady(id: string, accept?: string | null): Promise<RawAnswer> {
    const tryDownload = async () => {
      const answer = await this.download(id, accept);
      const isRefused = documentIn(answer) === undefined;
      // The service knows the report: its status was ready.
      const isUnknown = answer.status === 404;
      const record = recordIn(answer.json);
      const isLate = isRefused && (isUnknown || isNotYet({ status: answer.status, record }));
      if (isLate) {
        const description = describeAnswer(answer);
        this.statusDifference ??= `it reported ready before the report could be downloaded: ${description}`;
      }
      return { seen: answer, isOver: !isLate, retryAfterMs: this.#retryAfterMs(answer) };
    };
    const { seen } = await poll(tryDownload, this.#pace(60_000));
    return seen;
  }

  #bodyOfId(id: string): CallBody {
    if (this.encoding === 'json') {
      return { contentType: 'application/json', text: JSON.stringify({ id }) };
    }
    return {
      contentType: 'application/x-www-form-urlencoded',
      text: `id=${encodeURIComponent(id)}`,
    };
  }
}

/** An id that no service assigns. */
const unknownId = '0'.repeat(32);

/** The report in the answer to a download. Throws `TrialSkipped` if it has none. */
export function requireDocument(answer: RawAnswer, what: string): ReportDocument {
  const document = documentIn(answer);
  if (!document) throw new TrialSkipped(`${what} cannot be read: ${describeAnswer(answer)}`);
  return document;
}
