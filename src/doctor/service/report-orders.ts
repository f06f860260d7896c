import { recordIn } from '../../api/answers.ts';
import { type CallBody, parseRetryAfter } from '../../api/exchange.ts';
import { isNotYet, lateAtMostMs, type Pace, poll } from '../../api/poll.ts';
import type { Context } from '../../context.ts';
import { type Encoding, outcomeOf, type ReportRequest } from '../../contract/messages.ts';
import { pauseAfter } from '../../report/poll-interval.ts';
import { encodeRequest } from '../../report/request.ts';
import { formatDuration } from '../../text/quantity.ts';
import type { Progress } from '../../ui/progress.ts';
import { describeAnswer, type RawAnswer, reportIdIn, type ServiceCalls } from './calls.ts';
import { TrialStopped } from './trial.ts';
import { documentIn, quoteStatus, type ReportDocument, statusWordIn } from './trial-answers.ts';

/** How a report is asked for. */
export interface OrderOptions {
  readonly encoding?: Encoding;
  readonly accept?: string | null;
  readonly isMeantToFail?: boolean;
}

/** What the orders are made with. */
export interface ReportOrdersOptions {
  readonly calls: ServiceCalls;
  readonly host: Context['host'];
  readonly progress: Progress;
}

const waitAtMostMs = 10 * 60_000;

/** How often a status call may be answered without a status before the wait is given up. */
const answersWithoutStatusAtMost = 3;

/** The way of a report, from the create call to the document, with every answer as it came. */
export class ReportOrders {
  /** How the bodies are written; forms, once the service has refused JSON. */
  encoding: Encoding = 'json';
  token: string | undefined;

  /**
   * What was first otherwise than described in what status calls said of a report; `undefined`
   * where nothing was.
   */
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

  /** A create call with a body of its own. */
  send(body: CallBody, { accept, isMeantToFail }: OrderOptions = {}): Promise<RawAnswer> {
    const authorization = this.token;
    return this.#calls.send({ endpoint: 'buyer', body, authorization, accept, isMeantToFail });
  }

  /** The report that a create call led to. Throws `TrialStopped` where there is none. */
  async fetch(created: RawAnswer, what: string): Promise<ReportDocument> {
    const id = reportIdIn(created);
    if (id === undefined) {
      throw new TrialStopped(`${what} was not made: ${describeAnswer(created)}`);
    }

    const words = await this.waitUntilOver(id, what);
    const word = words.at(-1) ?? '';
    if (outcomeOf(word) === 'failed') {
      throw new TrialStopped(`${what} ended as ${quoteStatus(word)}`);
    }
    return requireDocument(await this.downloadReady(id), what);
  }

  /**
   * Asks for the status until the report is over, and gives its words. Throws `TrialStopped` when
   * it takes too long.
   */
  async waitUntilOver(id: string, what: string): Promise<string[]> {
    const meter = this.#progress.wait(what.replace(/^the/, 'The'));
    const words: string[] = [];

    const look = async () => {
      const answer = await this.status(id);
      const word = statusWordIn(answer);
      words.push(word);
      const isOver = outcomeOf(word) !== 'progress';
      if (!isOver) this.#giveUpWithoutStatus(words, answer);
      return { seen: word, isOver, retryAfterMs: this.#retryAfterMs(answer) };
    };
    try {
      const { seen: word, isOver } = await poll(look, {
        ...this.#pace(waitAtMostMs),
        onPoll: ({ seen: status, polls, waitedMs, nextPauseMs = 0 }) =>
          meter.update({ status, waitedMs, polls, nextPollMs: nextPauseMs }),
      });
      if (isOver) return words;

      this.statusDifference ??= `it says ${quoteStatus(word)} for ${formatDuration(waitAtMostMs)}`;
      throw new TrialStopped(`${what} was not ready in time`);
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

  /** Throws `TrialStopped` where the last answers had no status: it is not to be waited for. */
  #giveUpWithoutStatus(words: readonly string[], answer: RawAnswer): void {
    const lastWords = words.slice(-answersWithoutStatusAtMost);
    const isOver =
      lastWords.length === answersWithoutStatusAtMost && lastWords.every((word) => word === '');
    if (!isOver) return;

    const description = describeAnswer(answer);
    this.statusDifference ??= `it says no status: ${description}`;
    throw new TrialStopped(`the status call was answered without a status: ${description}`);
  }

  status(id: string): Promise<RawAnswer> {
    return this.#calls.send({
      endpoint: 'status',
      body: this.#bodyOfId(id),
      authorization: this.token,
    });
  }

  /** The status of a report that does not exist, with any value of the Authorization header. */
  statusOfUnknown(authorization: string | undefined): Promise<RawAnswer> {
    const body = this.#bodyOfId(unknownId);
    return this.#calls.send({ endpoint: 'status', body, authorization, isMeantToFail: true });
  }

  download(id: string, accept?: string | null): Promise<RawAnswer> {
    const body = this.#bodyOfId(id);
    return this.#calls.send({ endpoint: 'download', body, authorization: this.token, accept });
  }

  /**
   * Downloads a report that is said to be ready, again for a while where the answer is that it is
   * not.
   */
  async downloadReady(id: string, accept?: string | null): Promise<RawAnswer> {
    const look = async () => {
      const answer = await this.download(id, accept);
      const isRefused = documentIn(answer) === undefined;
      // The report is known: the service has said that it is ready.
      const isUnknown = answer.status === 404;
      const record = recordIn(answer.json);
      const isLate = isRefused && (isUnknown || isNotYet({ status: answer.status, record }));
      if (isLate) {
        const description = describeAnswer(answer);
        this.statusDifference ??= `it says ready before the report is there: ${description}`;
      }
      return { seen: answer, isOver: !isLate, retryAfterMs: this.#retryAfterMs(answer) };
    };
    const { seen } = await poll(look, this.#pace(lateAtMostMs));
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

/** No service gives an id of zeros alone. */
const unknownId = '0'.repeat(32);

/** The report in an answer to a download. Throws `TrialStopped` where there is none. */
export function requireDocument(answer: RawAnswer, what: string): ReportDocument {
  const document = documentIn(answer);
  if (!document) throw new TrialStopped(`${what} cannot be read: ${describeAnswer(answer)}`);
  return document;
}
