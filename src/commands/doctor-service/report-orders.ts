import { recordIn } from '../../api/answers.ts';
import type { CallBody } from '../../api/exchange.ts';
import type { Context } from '../../context.ts';
import { type Encoding, outcomeOf, type ReportRequest } from '../../contract/messages.ts';
import { encodeRequest } from '../../report/request.ts';
import { autoPauseMs } from '../../report/wait.ts';
import { formatDuration } from '../../text/quantity.ts';
import type { Progress } from '../../ui/progress.ts';
import { documentIn, quoteStatus, type ReportDocument, statusWordIn } from './answers.ts';
import { describeAnswer, type RawAnswer, reportIdIn, type ServiceCalls } from './calls.ts';
import { TrialStopped, type Verdicts } from './verdicts.ts';

/** How a report is asked for. */
export interface OrderOptions {
  readonly encoding?: Encoding;
  readonly accept?: string | null;
  readonly isMeantToFail?: boolean;
}

/** What the orders are made with. */
export interface ReportOrdersOptions {
  readonly calls: ServiceCalls;
  readonly verdicts: Verdicts;
  readonly host: Context['host'];
  readonly progress: Progress;
}

const waitAtMostMs = 10 * 60_000;
/** How long a report may be missing after the service has said that it is ready. */
const lateAtMostMs = 60_000;
/** How often a status call may be answered without a status before the wait is given up. */
const answersWithoutStatusAtMost = 3;

/** The way of a report, from the create call to the document, with every answer as it came. */
export class ReportOrders {
  /** How the bodies are written; forms, once the service has refused JSON. */
  encoding: Encoding = 'json';
  token: string | undefined;
  readonly #calls: ServiceCalls;
  readonly #verdicts: Verdicts;
  readonly #host: Context['host'];
  readonly #progress: Progress;

  constructor({ calls, verdicts, host, progress }: ReportOrdersOptions) {
    this.#calls = calls;
    this.#verdicts = verdicts;
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

  /** Asks for the status until the report is over, and gives its words. Throws `TrialStopped` when it takes too long. */
  async waitUntilOver(id: string, what: string): Promise<string[]> {
    const { stopwatch, sleep, signal } = this.#host;
    const meter = this.#progress.wait(what.replace(/^the/, 'The'));
    const startedMs = stopwatch();
    const words: string[] = [];

    try {
      for (;;) {
        const answer = await this.status(id);
        const word = statusWordIn(answer);
        words.push(word);
        if (outcomeOf(word) !== 'progress') return words;

        this.#giveUpWithoutStatus(words, answer);
        const waitedMs = stopwatch() - startedMs;
        if (waitedMs >= waitAtMostMs) {
          this.#verdicts.differs(
            'S10',
            `it says ${quoteStatus(word)} for ${formatDuration(waitAtMostMs)}`,
          );
          throw new TrialStopped(`${what} was not ready in time`);
        }

        const pauseMs = autoPauseMs(waitedMs);
        meter.update({ status: word, waitedMs, polls: words.length, nextPollMs: pauseMs });
        await sleep(pauseMs, signal);
      }
    } finally {
      meter.stop();
    }
  }

  /** Throws `TrialStopped` where the last answers had no status: it is not to be waited for. */
  #giveUpWithoutStatus(words: readonly string[], answer: RawAnswer): void {
    const lastWords = words.slice(-answersWithoutStatusAtMost);
    const isOver =
      lastWords.length === answersWithoutStatusAtMost && lastWords.every((word) => word === '');
    if (!isOver) return;

    const description = describeAnswer(answer);
    this.#verdicts.differs('S10', `it says no status: ${description}`);
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

  /** Downloads a report that is said to be ready, again for a while where the answer is that it is not. */
  async downloadReady(id: string, accept?: string | null): Promise<RawAnswer> {
    const { stopwatch, sleep, signal } = this.#host;
    const startedMs = stopwatch();

    for (;;) {
      const answer = await this.download(id, accept);
      if (!isNotYet(answer)) return answer;

      this.#verdicts.differs(
        'S10',
        `it says ready before the report is there: ${describeAnswer(answer)}`,
      );
      const waitedMs = stopwatch() - startedMs;
      if (waitedMs >= lateAtMostMs) return answer;
      await sleep(autoPauseMs(waitedMs), signal);
    }
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

/** Whether an answer to a download says that there will be a report. */
function isNotYet(answer: RawAnswer): boolean {
  const { reportState } = recordIn(answer.json);
  if (reportState !== undefined) return reportState === 'progress';
  return [202, 404, 409, 425].includes(answer.status);
}

/** The report in an answer to a download. Throws `TrialStopped` where there is none. */
export function requireDocument(answer: RawAnswer, what: string): ReportDocument {
  const document = documentIn(answer);
  if (!document) throw new TrialStopped(`${what} cannot be read: ${describeAnswer(answer)}`);
  return document;
}
