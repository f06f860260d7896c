import { Client } from '../api/client.ts';
import { createHttp } from '../api/http.ts';
import { type CampaignRecord, outcomeOf } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { RejectedError } from '../errors.ts';
import { bodyOf } from '../query/body.ts';
import { anySignal, forManyListeners } from '../signals.ts';
import { Secrets } from '../text/secrets.ts';
import type {
  CreateClientOptions,
  FetchOptions,
  ReportClient,
  ReportOptions,
  ReportState,
} from './public-types.ts';
import {
  expectId,
  type ReadSettings,
  readFetchOptions,
  readReport,
  readSettings,
} from './read-options.ts';
import { type ReaderSetup, ReportReader } from './report-reader.ts';
import { requestReport } from './send-request.ts';

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

class ServiceClient {
  readonly #settings: ReadSettings;
  readonly #secrets = new Secrets();

  /** When this client requested each report, in milliseconds since 1970. */
  readonly #requestedMs = new Map<string, number>();
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
    const part = readReport('fetchReport', report, this.#settings);
    return this.#open({ options, part });
  }

  async createReport(report: ReportOptions): Promise<{ readonly id: string }> {
    const body = bodyOf(readReport('createReport', report, this.#settings));
    const client = await this.#connect();
    const { id, requestedMs = 0, response } = await requestReport(client, body);
    if (id !== undefined) {
      this.#requestedMs.set(id, requestedMs);
      return { id };
    }

    response?.close();
    throw new RejectedError('The service answered with the report itself, without an ID.', {
      code: 'NO_REPORT_ID',
      hint: 'Use fetchReport.',
    });
  }

  async reportStatus(id: string): Promise<ReportState> {
    expectId('reportStatus', id);
    const client = await this.#connect();
    const { status, message } = await client.status(id);
    return { id, status, message, isReady: outcomeOf(status) === 'ready' };
  }

  async openReport(
    id: string,
    report?: ReportOptions,
    given?: FetchOptions,
  ): Promise<ReportReader> {
    expectId('openReport', id);
    const options = readFetchOptions('openReport', given);
    const part =
      report === undefined ? undefined : readReport('openReport', report, this.#settings);
    const requestedMs = this.#requestedMs.get(id);
    const requested = { id, status: 'progress', createdMs: requestedMs ?? Date.now() };
    const known = requestedMs === undefined ? requested : { ...requested, requestedMs };
    return this.#open({ options, part, requested: known });
  }

  async campaigns(): Promise<readonly CampaignRecord[]> {
    const client = await this.#connect();
    const { campaigns } = await client.campaigns();
    return campaigns;
  }

  async #open(report: Omit<ReaderSetup, 'client' | 'settings'>): Promise<ReportReader> {
    const client = await this.#connect(report.options.signal);
    const reader = new ReportReader({ ...report, client, settings: this.#settings });
    await reader.open();
    return reader;
  }

  /** With a signal, returns a client that the signal ends too. */
  async #connect(signal?: AbortSignal): Promise<Client> {
    this.#connecting ??= this.#createClient();
    const client = await this.#connecting;
    signal?.throwIfAborted();
    return signal ? client.withSignal(anySignal(client.host.signal, signal)) : client;
  }

  async #createClient(): Promise<Client> {
    const { timeoutMs, proxy, signal } = this.#settings;
    const http = await createHttp({
      timeoutMs,
      userAgent: 'adreport',
      proxy: proxy && { url: proxy, none: '' },
      wording: 'options',
      trace: () => {},
    });
    const { redact, hide } = this.#secrets;
    return new Client({
      ...this.#settings,
      http,
      wording: 'options',
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
