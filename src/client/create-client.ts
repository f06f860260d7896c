import { Client } from '../api/client.ts';
import { createHttp, type Http } from '../api/http.ts';
import { requestedColumns } from '../contract/columns.ts';
import { outcomeOf } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { AdreportError, RejectedError } from '../errors.ts';
import type { Expectation } from '../report/expectation.ts';
import type { ReportPlan } from '../report/request.ts';
import { anySignal, forManyListeners } from '../signals.ts';
import { Secrets } from '../text/secrets.ts';
import { readCampaigns } from './campaigns.ts';
import { type OpenReport, openReport, type Transfer } from './open.ts';
import type {
  CampaignRecords,
  CreateClientOptions,
  FetchOptions,
  ReportClient,
  ReportOptions,
  ReportProgress,
  ReportState,
} from './public-types.ts';
import { planOptions, type ReadSettings, readFetchOptions, readSettings } from './read-options.ts';
import { ReportReader } from './report-reader.ts';
import { type RequestedReport, requestReport } from './request.ts';
import { Retries } from './retries.ts';
import { type ReadyReport, waitUntilReady } from './wait.ts';

/**
 * Reads nothing but its options: no environment, no settings, no files. Throws an `AdreportError`
 * with exit code 2 for a missing or wrong option.
 */
export function createClient<const AnyProfile extends Profile = 'buyer'>(
  options: CreateClientOptions<AnyProfile>,
): ReportClient<AnyProfile> {
  // The types of its rows are computed from what the caller names.
  return new ServiceClient(readSettings(options)) as unknown as ReportClient<AnyProfile>;
}

interface Fetch {
  readonly options: FetchOptions;
  readonly plan?: ReportPlan | undefined;

  /** Set if the report was requested before. */
  readonly requested?: RequestedReport;
}

const defaultWaitTimeoutMs = 30 * 60_000;

class ServiceClient {
  readonly #settings: ReadSettings;
  readonly #secrets = new Secrets();
  #connecting: Promise<Client> | undefined;

  constructor(settings: ReadSettings) {
    this.#settings = settings;
    const { token, credentials } = settings;
    for (const secret of [token, credentials?.password]) {
      if (secret !== undefined) this.#secrets.hide(secret);
    }
  }

  async fetchReport(report: ReportOptions, given?: FetchOptions): Promise<ReportReader> {
    const options = readFetchOptions('fetchReport', given);
    const plan = planOptions('fetchReport', report, this.#settings);
    return this.#fetch({ options, plan });
  }

  async createReport(report: ReportOptions): Promise<{ readonly id: string }> {
    const { request } = planOptions('createReport', report, this.#settings);
    const client = await this.#connect();
    const { id, answer } = await requestReport(client, request);
    if (id !== undefined) return { id };

    answer?.close();
    throw new RejectedError('The service answered with the report itself, without an ID.', {
      code: 'NO_REPORT_ID',
      hint: 'Use fetchReport.',
    });
  }

  async reportStatus(id: string): Promise<ReportState> {
    const client = await this.#connect();
    const { status, message } = await client.status(id);
    return { id, status, message, isReady: outcomeOf(status) === 'ready' };
  }

  async openReport(
    id: string,
    report?: ReportOptions,
    given?: FetchOptions,
  ): Promise<ReportReader> {
    const options = readFetchOptions('openReport', given);
    const plan = report && planOptions('openReport', report, this.#settings);
    const requested = { id, status: 'progress', createdMs: Date.now() };
    return this.#fetch({ options, plan, requested });
  }

  async campaigns(): Promise<CampaignRecords> {
    const client = await this.#connect();
    const { campaigns, warnings, notes } = await readCampaigns(client);
    return Object.assign([...campaigns], { warnings, notes });
  }

  async #fetch(fetch: Fetch): Promise<ReportReader> {
    const { signal, strict: isStrict = false } = fetch.options;
    const client = await this.#connect(signal);
    const line = new Line(client, { ...fetch, settings: this.#settings });
    const open = await line.open();
    const reopen = async (error: unknown): Promise<OpenReport> => {
      await line.recover(error);
      return line.open();
    };
    return new ReportReader({ client, profile: this.#settings.profile, isStrict, open, reopen });
  }

  /** With a signal, returns a client that the signal ends too. */
  async #connect(signal?: AbortSignal): Promise<Client> {
    this.#connecting ??= this.#open();
    const client = await this.#connecting;
    signal?.throwIfAborted();
    return signal ? client.withSignal(anySignal(client.host.signal, signal)) : client;
  }

  async #open(): Promise<Client> {
    const { timeoutMs, proxy, signal } = this.#settings;
    const http: Http = await createHttp({
      timeoutMs,
      userAgent: 'adreport',
      proxy: proxy && { url: proxy, none: '' },
      trace: () => {},
    });
    const { redact, hide } = this.#secrets;
    return new Client({
      ...this.#settings,
      http,
      host: {
        wallClock: Date.now,
        stopwatch: () => performance.now(),
        sleep: pause,
        random: Math.random,
        signal: forManyListeners(signal ?? new AbortController().signal),
      },
      note: () => {},
      hide: (secret) => hide.call(this.#secrets, secret),
      redact: (text) => redact.call(this.#secrets, text),
    });
  }
}

interface LineSetup extends Fetch {
  readonly settings: ReadSettings;
}

/** One report on its way: requested, waited for and opened, again if that helps. */
class Line {
  readonly #client: Client;
  readonly #setup: LineSetup;
  readonly #retries: Retries;
  readonly #startedMs: number;
  readonly #expectation: Expectation | undefined;
  #requested: RequestedReport | undefined;
  #ready: ReadyReport | undefined;

  constructor(client: Client, setup: LineSetup) {
    const { options, plan, requested, settings } = setup;
    const { waitTimeoutMs = defaultWaitTimeoutMs, signal } = options;
    const maxRequests = requested || settings.retries === 0 ? 1 : 2;
    this.#client = client;
    this.#setup = setup;
    this.#requested = requested;
    this.#expectation = plan && expectationFor(plan);
    this.#startedMs = client.host.stopwatch();
    this.#retries = new Retries(client, { waitTimeoutMs, maxRequests, waits: true, signal });
  }

  /** Requests the report, waits for it, and opens it. */
  async open(): Promise<OpenReport> {
    for (;;) {
      try {
        const requested = await this.#request();
        const ready = await this.#wait(requested);
        const expectation = this.#expectation;
        const { downloads: tries } = this.#retries;
        const onTransfer = (transfer: Transfer): void => this.#report('download', transfer);
        return await openReport(this.#client, ready, { expectation, tries, onTransfer });
      } catch (error) {
        await this.recover(error);
      }
    }
  }

  /** Returns once the report may be opened again after an error. Otherwise throws the error. */
  async recover(error: unknown): Promise<void> {
    const reportId = this.#requested?.id;
    try {
      if (reportId === undefined) throw error;
      const step = await this.#retries.next(error);
      if (step === 'open') return;
      this.#ready = undefined;
      if (step === 'request') this.#requested = undefined;
    } catch (final) {
      throw final instanceof AdreportError ? final.amend('', { reportId }) : final;
    }
  }

  async #request(): Promise<RequestedReport> {
    if (this.#requested) return this.#requested;

    const { plan } = this.#setup;
    if (!plan) throw new TypeError('A report without an id has a request.');
    this.#report('request');
    this.#requested = await requestReport(this.#client, plan.request);
    return this.#requested;
  }

  async #wait(requested: RequestedReport): Promise<ReadyReport> {
    this.#ready ??= await waitUntilReady(this.#client, requested, {
      waitTimeoutMs: this.#retries.leftMs(),
      signal: this.#client.host.signal,
      onPoll: ({ seen }) => this.#report('wait', { status: seen.status }),
    });
    this.#retries.markReady(requested.id ?? '');
    return this.#ready;
  }

  #report(
    step: ReportProgress['step'],
    { status, bytes = 0, rows = 0 }: Partial<Transfer> & { readonly status?: string } = {},
  ): void {
    const elapsedMs = this.#client.host.stopwatch() - this.#startedMs;
    const last = status ?? this.#ready?.status ?? this.#requested?.status ?? '';
    const progress = { step, status: last, elapsedMs, receivedBytes: bytes, rows };
    this.#setup.options.onProgress?.(progress);
  }
}

function expectationFor({ profile, request, window, windowClock, shownMetrics }: ReportPlan) {
  const { breakdowns, filters } = request;
  const columns = requestedColumns(profile, request, shownMetrics);
  return { profile, window, windowClock, breakdowns, columns, filters };
}

/** Rejects with the signal's reason when it is aborted. */
function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end);
        resolve();
      },
      Math.min(durationMs, 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', end, { once: true });
  });
}
