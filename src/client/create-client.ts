import { Client } from '../api/client.ts';
import { createHttp } from '../api/http.ts';
import { type CampaignRecord, outcomeOf } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';
import { RejectedError } from '../errors.ts';
import { buildBody, encodeBody } from '../query/body.ts';
import type { Part } from '../query/query.ts';
import { allowManyListeners, anySignal, sleep } from '../signals.ts';
import { Secrets } from '../text/secrets.ts';
import type {
  CreateClientOptions,
  FetchOptions,
  ReportClient,
  ReportOptions,
  ReportState,
} from './public-types.ts';
import {
  type CheckedSettings,
  readFetchOptions,
  readReport,
  readSettings,
  requireId,
} from './read-options.ts';
import { ReportReader } from './report-reader.ts';

/**
 * Creates a client from its options alone, without reading the environment, stored settings or
 * files. Throws an `AdreportError` with exit code 2 for a missing or wrong option.
 */
export function createClient<const AnyProfile extends Profile = 'buyer'>(
  options: CreateClientOptions<AnyProfile>,
): ReportClient<AnyProfile> {
  // The row types are inferred from the names in the caller's options.
  return new ServiceClient(readSettings(options)) as unknown as ReportClient<AnyProfile>;
}

class ServiceClient {
  readonly #settings: CheckedSettings;

  /** Request time of each report of this client, in milliseconds since 1970. */
  readonly #requestedMs = new Map<string, number>();
  #connecting: Promise<Client> | undefined;

  constructor(settings: CheckedSettings) {
    this.#settings = settings;
  }

  async fetchReport(report: ReportOptions, given?: FetchOptions): Promise<ReportReader> {
    const options = readFetchOptions(given);
    const part = readReport(report, this.#settings);
    const reader = await this.#createReader(options, part);
    await reader.request(part);
    return reader;
  }

  async createReport(report: ReportOptions): Promise<{ readonly id: string }> {
    const { encoding } = this.#settings;
    const body = encodeBody(buildBody(readReport(report, this.#settings)), encoding);
    const client = await this.#connect();
    const { id, requestedMs = 0, response } = await client.createReport(body);
    if (id !== undefined) {
      this.#requestedMs.set(id, requestedMs);
      return { id };
    }

    response?.close();
    throw new RejectedError('The service sent the report itself, without an ID.', {
      code: 'NO_REPORT_ID',
      hint: 'Use fetchReport.',
    });
  }

  async reportStatus(id: string): Promise<ReportState> {
    requireId(id);
    const client = await this.#connect();
    const { status, message } = await client.status(id);
    return { id, status, message, isReady: outcomeOf(status) === 'ready' };
  }

  async openReport(
    id: string,
    report?: ReportOptions,
    given?: FetchOptions,
  ): Promise<ReportReader> {
    requireId(id);
    const options = readFetchOptions(given);
    const part = report && readReport(report, this.#settings);
    const requestedMs = this.#requestedMs.get(id);
    const reader = await this.#createReader(options, part);
    await reader.open({
      id,
      status: 'progress',
      createdMs: requestedMs ?? Date.now(),
      ...(requestedMs !== undefined && { requestedMs }),
    });
    return reader;
  }

  async campaigns(): Promise<readonly CampaignRecord[]> {
    const client = await this.#connect();
    const { campaigns } = await client.campaigns();
    return campaigns;
  }

  async #createReader(options: FetchOptions, part: Part | undefined): Promise<ReportReader> {
    const client = await this.#connect(options.signal);
    return new ReportReader({ client, settings: this.#settings, options, part });
  }

  /** Returns a client whose calls are also aborted by the given signal. */
  async #connect(signal?: AbortSignal): Promise<Client> {
    this.#connecting ??= connectClient(this.#settings);
    const client = await this.#connecting;
    signal?.throwIfAborted();
    return signal ? client.withSignal(anySignal(client.host.signal, signal)) : client;
  }
}

async function connectClient(settings: CheckedSettings): Promise<Client> {
  const { token, timeoutMs, proxy, signal = new AbortController().signal } = settings;
  const secrets = new Secrets();
  if (token !== undefined) secrets.hide(token);

  const http = await createHttp({
    timeoutMs,
    userAgent: 'adreport',
    proxy: proxy && { url: proxy, none: '' },
    wording: 'options',
    trace: () => {},
  });
  return new Client({
    ...settings,
    http,
    wording: 'options',
    host: {
      wallClock: Date.now,
      stopwatch: () => performance.now(),
      sleep,
      random: Math.random,
      signal: allowManyListeners(signal),
    },
    note: () => {},
    hide: (secret) => secrets.hide(secret),
    redact: (text) => secrets.redact(text),
  });
}
