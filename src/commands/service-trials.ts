import { findToken, recordIn } from '../api/answers.ts';
import type { Credentials } from '../api/client.ts';
import type { CallBody } from '../api/exchange.ts';
import type { Context } from '../context.ts';
import { columnsOf, metricOfField } from '../contract/columns.ts';
import { type Encoding, outcomeOf, type ReportRequest } from '../contract/messages.ts';
import type { StatementId } from '../contract/statements.ts';
import { dayOf, momentOf, numberTextOf, wallTimeOf } from '../contract/values.ts';
import { breakdowns, type Profile } from '../contract/vocabulary.ts';
import { SignInError } from '../errors.ts';
import { encodeRequest, requestParameters } from '../report/request.ts';
import { autoPauseMs } from '../report/wait.ts';
import { formatDuration } from '../text/quantity.ts';
import {
  documentIn,
  formatOf,
  isCampaign,
  isCsv,
  isIsoWithOffset,
  isMetricValue,
  isObject,
  isRefusal,
  isSameWall,
  isStatusRecord,
  isSuccess,
  type JsonObject,
  memberOf,
  quoteStatus,
  type ReportDocument,
  statusWordIn,
  summaryWindowText,
  sumOf,
} from './service-answers.ts';
import { describeAnswer, type RawAnswer, reportIdIn, type ServiceCalls } from './service-calls.ts';
import { otherZone, type TrialReport, type TrialReportName } from './trial-reports.ts';

/** What a trial of a statement came to. */
export type TrialResult = 'holds' | 'differs' | 'not tried';

/** A result, and what came instead, or why the statement was not tried. */
export interface TrialVerdict {
  readonly result: TrialResult;
  readonly said: string | null;
}

/** Who asks, and how. */
export interface TrialSettings {
  readonly profile: Profile;
  readonly token: string | undefined;
  readonly credentials: Credentials | undefined;
  /** Keeps a token out of everything that is written. */
  readonly hide: (token: string) => void;
}

/** What the trials are made with. */
export interface TrialOptions {
  readonly settings: TrialSettings;
  readonly reports: readonly TrialReport[];
  readonly host: Context['host'];
}

/** Why a trial could not be made; the statements that needed it are not tried. */
class TrialStopped extends Error {}

/** How a report is asked for. */
interface OrderOptions {
  readonly encoding?: Encoding;
  readonly accept?: string | null;
  readonly body?: CallBody;
}

/** No service gives an id of zeros alone. */
const unknownId = '0'.repeat(32);
const waitAtMostMs = 10 * 60_000;

/** Tries every statement on the service, and keeps what each came to. */
export class ServiceTrials {
  readonly verdicts = new Map<StatementId, TrialVerdict>();
  readonly #calls: ServiceCalls;
  readonly #settings: TrialSettings;
  readonly #host: Context['host'];
  readonly #requests = new Map<TrialReportName, ReportRequest>();
  /** The answers that were meant to be refusals, by what was asked. */
  readonly #refusals: RawAnswer[] = [];
  #token: string | undefined;
  #encoding: Encoding = 'json';

  constructor(calls: ServiceCalls, { settings, reports, host }: TrialOptions) {
    this.#calls = calls;
    this.#settings = settings;
    this.#host = host;
    this.#token = settings.token;
    for (const { name, request } of reports) this.#requests.set(name, request);
  }

  /**
   * Makes the trials in the order in which each can use what came before. Throws `SignInError` where the service takes the
   * token in no form, and `UnreachableError`.
   */
  async run(): Promise<void> {
    await this.#attempt(['S01'], () => this.#trySignIn());

    const isSignedIn = await this.#tryToken();
    if (!isSignedIn) return;
    await this.#tryOtherTokens();
    if (this.#isBuyer) await this.#tryCampaignList();
    await this.#tryUnknownId();

    let days: ReportDocument | undefined;
    await this.#attempt([], async () => {
      days = await this.#tryDays();
    });
    if (days) await this.#tryOtherReports(days);
    this.#judgeRefusals();
  }

  get #isBuyer(): boolean {
    return this.#settings.profile === 'buyer';
  }

  async #trySignIn(): Promise<void> {
    const { credentials, hide } = this.#settings;
    if (!credentials) {
      throw new TrialStopped('there is no password: set ADREPORT_EMAIL and ADREPORT_PASSWORD');
    }

    const text = JSON.stringify({ auth: credentials });
    const body = { contentType: 'application/json', text };
    const answer = await this.#calls.send({ endpoint: 'auth', body, isMeantToFail: true });
    const bareToken = answer.json === undefined ? findToken(answer.text) : undefined;
    const token = bareToken ?? findToken(answer.json);
    if (token !== undefined) hide(token);
    this.#token ??= token;

    const response = memberOf(answer.json, 'response');
    const isHeld = isSuccess(answer) && typeof memberOf(response, 'token') === 'string';
    this.#judge('S01', isHeld, describeAnswer(answer));
  }

  /** Whether the service takes the token as it should. Where it takes it otherwise, that is said. */
  async #tryToken(): Promise<boolean> {
    const token = this.#token;
    if (token === undefined) throw new SignInError('The sign-in was answered without a token.', {});

    const answer = await this.#callWith(token);
    if (!this.#isRefused(answer)) {
      this.#holds('S02');
      return true;
    }

    const otherAnswer = await this.#callWith(`Bearer ${token}`);
    if (this.#isRefused(otherAnswer)) {
      throw new SignInError(`The service refused the token. (${answer.status})`, {
        hint: 'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN)',
      });
    }
    this.#differs(
      'S02',
      'it takes the token behind the word Bearer only, which adreport cannot send',
    );
    return false;
  }

  async #tryOtherTokens(): Promise<void> {
    const withoutToken = await this.#callWith(undefined);
    this.#judge('S03', withoutToken.status === 401, describeAnswer(withoutToken));
    this.#refusals.push(withoutToken);

    const withScheme = await this.#callWith(`Bearer ${this.#token}`);
    this.#judge('S04', withScheme.status === 401, describeAnswer(withScheme));
  }

  /** The smallest call of the profile: a DSP may have no list of campaigns. */
  #callWith(authorization: string | undefined): Promise<RawAnswer> {
    if (this.#isBuyer) return this.#calls.send({ endpoint: 'campaigns', authorization });
    const body = this.#bodyOfId(unknownId);
    return this.#calls.send({ endpoint: 'status', body, authorization });
  }

  #isRefused({ status }: RawAnswer): boolean {
    return status === 401 || (status === 403 && this.#isBuyer);
  }

  async #tryCampaignList(): Promise<void> {
    const answer = await this.#callWith(this.#token);
    const { json } = answer;
    const isList = isSuccess(answer) && Array.isArray(json) && json.every(isCampaign);
    this.#judge('S05', isList, describeAnswer(answer));
    if (!Array.isArray(json) || json.length === 0) {
      this.#skip('S06', 'no campaign was listed');
      return;
    }

    const dates: unknown[] = [];
    for (const campaign of json) {
      dates.push(memberOf(campaign, 'campaignStartDate'), memberOf(campaign, 'campaignEndDate'));
    }
    const isDated = dates.every((date) => wallTimeOf(String(date)) !== undefined);
    this.#judge('S06', isDated, describeAnswer(answer));
  }

  async #tryUnknownId(): Promise<void> {
    const answer = await this.#calls.send({
      endpoint: 'status',
      body: this.#bodyOfId(unknownId),
      authorization: this.#token,
      isMeantToFail: true,
    });
    this.#judge('S23', answer.status === 404, describeAnswer(answer));
    this.#refusals.push(answer);
  }

  /** The report that most statements are about, from its creation to its second download. */
  async #tryDays(): Promise<ReportDocument> {
    const request = this.#requestOf('days');
    const created = await this.#createDays(request);
    const id = reportIdIn(created);
    if (id === undefined) throw new TrialStopped('no report could be made');

    const response = memberOf(created.json, 'response');
    const isRecord = isStatusRecord(created.json) && memberOf(response, 'report_id') === id;
    this.#judge('S35', isRecord, describeAnswer(created));

    await this.#attempt(['S32'], () => this.#waitForDays(id));

    const answer = await this.#download(id);
    const isDocument =
      isSuccess(answer) &&
      Array.isArray(memberOf(answer.json, 'data')) &&
      isObject(memberOf(answer.json, 'summary'));
    this.#judge('S11', isDocument, describeAnswer(answer));

    const document = this.#readDocument(answer, 'the report by DAILY');
    const again = await this.#download(id);
    this.#judge('S31', again.text === answer.text, describeAnswer(again));
    return document;
  }

  /** Asks for the days in JSON, and as a form where the service takes no JSON. */
  async #createDays(request: ReportRequest): Promise<RawAnswer> {
    const answer = await this.#create(request);
    if (reportIdIn(answer) !== undefined) {
      this.#holds('S07');
      return answer;
    }

    const description = describeAnswer(answer);
    const isRefused = answer.status >= 400 && answer.status <= 499;
    if (isRefused) {
      const asForm = await this.#create(request, { encoding: 'form' });
      if (reportIdIn(asForm) !== undefined) {
        this.#encoding = 'form';
        const advice = 'it takes forms only: adreport config set encoding form';
        this.#differs('S07', `${description}; ${advice}`);
        return asForm;
      }
    }

    const otherProfile = this.#isBuyer ? 'dsp' : 'buyer';
    const advice = description.includes('PROFILE_MISMATCH')
      ? `; if the account is a ${otherProfile}’s: adreport config set profile ${otherProfile}`
      : '';
    this.#differs('S07', `${description}${advice}`);
    return answer;
  }

  /** Waits for the report, and tries to have it before it is ready. */
  async #waitForDays(id: string): Promise<void> {
    const first = await this.#status(id);
    this.#judge('S09', isSuccess(first) && isStatusRecord(first.json), describeAnswer(first));

    let words = [statusWordIn(first)];
    if (outcomeOf(statusWordIn(first)) === 'progress') {
      const early = await this.#download(id);
      words = [...words, ...(await this.#waitUntilOver(id))];
      if (isSuccess(early) && words[1] === 'ready') {
        this.#skip('S32', 'the report was ready before it could be asked for');
      } else {
        this.#judge('S32', early.status === 409, describeAnswer(early));
      }
    } else {
      this.#skip('S32', 'the report was ready at once');
    }

    const before = words.slice(0, -1);
    const isAsDescribed = words.at(-1) === 'ready' && before.every((word) => word === 'progress');
    const distinctWords = [...new Set(words)].map(quoteStatus);
    this.#judge('S10', isAsDescribed, `it says ${distinctWords.join(', ')}`);
  }

  /** Asks for the status until the report is over, and gives its words. Throws `TrialStopped` when it takes too long. */
  async #waitUntilOver(id: string): Promise<string[]> {
    const { stopwatch, sleep, signal } = this.#host;
    const startedMs = stopwatch();
    const words: string[] = [];

    for (;;) {
      const word = statusWordIn(await this.#status(id));
      words.push(word);
      if (outcomeOf(word) !== 'progress') return words;

      const waitedMs = stopwatch() - startedMs;
      if (waitedMs >= waitAtMostMs) {
        const duration = formatDuration(waitAtMostMs);
        const said = `it says ${quoteStatus(word)} for ${duration}`;
        if (!this.verdicts.has('S10')) this.#differs('S10', said);
        throw new TrialStopped('a report was not ready in time');
      }
      await sleep(autoPauseMs(waitedMs), signal);
    }
  }

  /** The statements that are about one report alone, and then the other reports. */
  async #tryOtherReports(days: ReportDocument): Promise<void> {
    this.#judgeWindow(days);
    this.#judgeSummary(days);
    this.#judgeFields(days);
    this.#judgeDates(days);

    await this.#attempt(['S19'], () => this.#tryWhole(days));
    await this.#attempt(['S08', 'S22'], () => this.#tryHours());
    await this.#attempt(['S30'], () => this.#tryDirect());
    if (this.#isBuyer) {
      await this.#attempt(['S12'], () => this.#tryFilter());
      await this.#attempt(['S29'], () => this.#tryAdvertiser());
    } else {
      await this.#attempt(['S28'], () => this.#tryCsv());
      await this.#attempt(['S15'], () => this.#tryZone());
    }

    await this.#tryRefusal('S24', this.#bodyOf('twoTimes'));
    await this.#tryRefusal('S26', this.#bodyOf('unknownParameter', { campaingId: ['1'] }));
    await this.#tryRefusal('S27', this.#bodyOf('backwards'));
  }

  /** The window in the summary: whether it is written as described, and which clock the service reads. */
  #judgeWindow({ summary }: ReportDocument): void {
    const request = this.#requestOf('days');
    const since = String(summary.since);
    const until = String(summary.until);
    const sinceMs = momentOf(since)?.instantMs;
    const untilMs = momentOf(until)?.instantMs;

    const isWritten = isIsoWithOffset(since) && isIsoWithOffset(until);
    const came = summaryWindowText(since, until);
    if (!isWritten || sinceMs === undefined || untilMs === undefined) {
      this.#differs('S13', came);
      this.#skip('S33', 'the summary does not say which window the report covers');
      return;
    }

    const askedMs = (request.until - request.since) * 1_000;
    const oneHourMs = 3_600_000;
    // A clock change makes a window of wall times an hour longer or shorter.
    const isSameLength = Math.abs(untilMs - sinceMs - askedMs) <= oneHourMs;
    const isInstant = sinceMs / 1_000 === request.since && untilMs / 1_000 === request.until;
    const isWall = isSameWall(request.since, since) && isSameWall(request.until, until);

    this.#judge('S13', isSameLength && (isInstant || isWall), came);
    const advice = isWall
      ? 'it reads wall times: adreport config set window-clock wall'
      : `it covers another window: ${came}`;
    this.#judge('S33', isInstant, advice);
  }

  #judgeSummary({ summary }: ReportDocument): void {
    const { breakdowns: echoed, timezone } = summary;
    const wanted = this.#requestOf('days').breakdowns.join();
    const isEchoed = Array.isArray(echoed) && echoed.join() === wanted;
    this.#judge('S16', isEchoed, `the summary has ${formatOf(echoed)} for breakdowns`);
    if (this.#isBuyer) {
      const said = `the summary has ${formatOf(timezone)} for timezone`;
      this.#judge('S14', timezone === 'europe/paris', said);
    }
  }

  #judgeFields({ rows }: ReportDocument): void {
    const { profile } = this.#settings;
    const fieldIds: StatementId[] = this.#isBuyer ? ['S17', 'S18', 'S34'] : ['S17', 'S20'];
    if (rows.length === 0) {
      for (const id of fieldIds) this.#skip(id, 'there are no rows in those days');
      return;
    }

    const columns = columnsOf(profile, this.#requestOf('days'));
    const metricFields = columns.filter(({ metric }) => metric !== undefined);
    const faults = metricFields.filter(({ field, type }) => {
      if (field === 'valueDollar') return false;
      return !rows.every((row) => isMetricValue(row[field], type));
    });
    const names = faults.map(({ field }) => field).join(', ');
    this.#judge('S17', faults.length === 0, `not so in every row: ${names}`);

    if (this.#isBuyer) {
      const hasDollars = rows.every((row) => numberTextOf(row.valueDollar) !== undefined);
      const dollarFields = Object.keys(rows[0] ?? {}).filter((name) => /dollar/i.test(name));
      this.#judge('S18', hasDollars, `the rows have ${dollarFields.join(', ') || 'no dollars'}`);
      this.#judgeNulls(rows);
      return;
    }

    const money = rows.flatMap(({ revenueEuro, revenueDollar }) => [revenueEuro, revenueDollar]);
    const isText = money.every((value) => /^-?\d+,\d\d$/.test(String(value)));
    this.#judge('S20', isText, `the revenue is ${formatOf(money[0])}`);
  }

  #judgeNulls(rows: readonly JsonObject[]): void {
    const absent: string[] = [];
    const filled: string[] = [];
    for (const { time, onlyWhenAsked, fields } of breakdowns) {
      if (time || onlyWhenAsked) continue;
      for (const { name } of fields) {
        if (rows.some((row) => !(name in row))) absent.push(name);
        else if (rows.some((row) => row[name] !== null)) filled.push(name);
      }
    }

    const sentences: string[] = [];
    if (filled.length > 0) sentences.push(`they have values: ${filled.join(', ')}`);
    if (absent.length > 0) sentences.push(`they are absent: ${absent.join(', ')}`);
    this.#judge('S34', sentences.length === 0, sentences.join('; '));
  }

  #judgeDates({ rows, summary }: ReportDocument): void {
    if (rows.length === 0) {
      this.#skip('S21', 'there are no rows in those days');
      return;
    }

    const first = String(summary.since).slice(0, 10);
    const last = String(summary.until).slice(0, 10);
    const isInside = (date: string): boolean =>
      dayOf(first) === undefined || (date >= first && date <= last);
    const dates = rows.map(({ date }) => date);
    const isDated = dates.every(
      (date) => typeof date === 'string' && dayOf(date) !== undefined && isInside(date),
    );
    this.#judge('S21', isDated, `the first date is ${formatOf(dates[0])}`);
  }

  async #tryWhole(days: ReportDocument): Promise<void> {
    const whole = await this.#order('whole');
    if (days.rows.length === 0) throw new TrialStopped('there are no rows in those days');

    // A field without numbers is told by the statements on fields.
    const fields = this.#metricFields().filter((field) => sumOf(days.rows, field) !== undefined);
    if (fields.length === 0) throw new TrialStopped('the rows have no numbers');
    const differing = fields.filter(
      (field) => sumOf(days.rows, field) !== sumOf(whole.rows, field),
    );
    this.#judge('S19', differing.length === 0, `other sums: ${differing.join(', ')}`);
  }

  /** Hours, asked for as a form with indexes that leave gaps; in JSON where the form is refused. */
  async #tryHours(): Promise<void> {
    const request = this.#requestOf('hours');
    const form = encodeRequest(request, 'form');
    const text = form.text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
    const asked = await this.#send({ ...form, text });
    const isTaken = reportIdIn(asked) !== undefined;

    const created = isTaken ? asked : await this.#create(request, { encoding: 'json' });
    const document = await this.#fetch(created, 'the report by HOURLY');
    const echoed = document.summary.breakdowns;
    const isRead = isTaken && Array.isArray(echoed) && echoed.includes('HOURLY');
    const isReadWhole = isRead && echoed.includes('FORMAT');
    this.#judge('S08', isReadWhole, isTaken ? 'breakdowns are missing' : describeAnswer(asked));

    const hours = document.rows.map(({ hour }) => hour);
    if (hours.length === 0) throw new TrialStopped('there are no rows in that day');
    const isWritten = hours.every((hour) => isIsoWithOffset(String(hour)));
    this.#judge('S22', isWritten, `the first hour is ${formatOf(hours[0])}`);
  }

  async #tryDirect(): Promise<void> {
    const answer = await this.#create(this.#requestOf('direct'));
    const isData = isSuccess(answer) && Array.isArray(memberOf(answer.json, 'data'));
    this.#judge('S30', isData && reportIdIn(answer) === undefined, describeAnswer(answer));
  }

  async #tryFilter(): Promise<void> {
    const all = await this.#order('campaigns');
    const row = all.rows.find(({ campaignId }) => /^\d+$/.test(String(campaignId)));
    if (!row) throw new TrialStopped('no campaign has rows in those days');

    const campaignId = String(row.campaignId);
    const request = { ...this.#requestOf('oneCampaign'), filters: { campaignId: [campaignId] } };
    const created = await this.#create(request);
    const one = await this.#fetch(created, 'the report of one campaign');

    const isAlone = one.rows.every((other) => String(other.campaignId) === campaignId);
    const ofCampaign = all.rows.filter((other) => String(other.campaignId) === campaignId);
    const isSame = this.#metricFields().every(
      (field) => sumOf(one.rows, field) === sumOf(ofCampaign, field),
    );
    const said = isAlone ? 'the sums of the campaign are others' : 'other campaigns came, too';
    this.#judge('S12', one.rows.length > 0 && isAlone && isSame, said);
  }

  async #tryAdvertiser(): Promise<void> {
    const answer = await this.#create(this.#requestOf('advertiser'), {}, true);
    if (reportIdIn(answer) !== undefined) {
      throw new TrialStopped('the account may filter by advertiserId, as an administrator may');
    }
    this.#judge('S29', isRefusal(answer), describeAnswer(answer));
    this.#refusals.push(answer);
  }

  async #tryCsv(): Promise<void> {
    const created = await this.#create(this.#requestOf('csv'), { accept: null });
    const id = reportIdIn(created);
    if (id === undefined) {
      this.#judge('S28', isCsv(created), describeAnswer(created));
      return;
    }

    await this.#waitUntilOver(id);
    const answer = await this.#download(id, null);
    this.#judge('S28', isCsv(answer), describeAnswer(answer));
  }

  async #tryZone(): Promise<void> {
    const { summary } = await this.#order('zone');
    const isStated = summary.timezone === otherZone;
    const isMadeSo = /\+09:?00$/.test(String(summary.since));
    const said = isStated
      ? 'the window of the summary is in another zone'
      : `the summary has ${formatOf(summary.timezone)} for timezone`;
    this.#judge('S15', isStated && isMadeSo, said);
  }

  async #tryRefusal(id: StatementId, body: CallBody): Promise<void> {
    const answer = await this.#send(body, 'application/json', true);
    this.#judge(id, isRefusal(answer), describeAnswer(answer));
    if (isRefusal(answer) || answer.status >= 500) this.#refusals.push(answer);
  }

  /** A refusal tells itself by its status; those that were meant to be refused and were not are told by their own trials. */
  #judgeRefusals(): void {
    const others = this.#refusals.filter(({ status, json }) => {
      const isError = status >= 500 || recordIn(json).isError;
      return isError && (status < 400 || status > 499);
    });
    const [first] = others;
    this.#judge('S25', first === undefined, first ? describeAnswer(first) : '');
  }

  /** Asks for a report as planned, waits for it, and reads it. */
  async #order(name: TrialReportName): Promise<ReportDocument> {
    const created = await this.#create(this.#requestOf(name));
    return this.#fetch(created, `the report “${name}”`);
  }

  /** The report that a create call led to. Throws `TrialStopped` where there is none. */
  async #fetch(created: RawAnswer, what: string): Promise<ReportDocument> {
    const id = reportIdIn(created);
    if (id === undefined) {
      throw new TrialStopped(`${what} was not made: ${describeAnswer(created)}`);
    }
    const words = await this.#waitUntilOver(id);
    const word = words.at(-1) ?? '';
    if (outcomeOf(word) === 'failed') {
      throw new TrialStopped(`${what} ended as ${quoteStatus(word)}`);
    }
    return this.#readDocument(await this.#download(id), what);
  }

  /** The report in an answer to a download. Throws `TrialStopped` where there is none. */
  #readDocument(answer: RawAnswer, what: string): ReportDocument {
    const document = documentIn(answer);
    if (!document) throw new TrialStopped(`${what} cannot be read: ${describeAnswer(answer)}`);
    return document;
  }

  #create(
    request: ReportRequest,
    { encoding = this.#encoding, accept = 'application/json' }: OrderOptions = {},
    isMeantToFail = false,
  ): Promise<RawAnswer> {
    return this.#send(encodeRequest(request, encoding), accept, isMeantToFail);
  }

  #send(
    body: CallBody,
    accept: string | null = 'application/json',
    isMeantToFail = false,
  ): Promise<RawAnswer> {
    const authorization = this.#token;
    return this.#calls.send({ endpoint: 'buyer', body, authorization, accept, isMeantToFail });
  }

  #status(id: string): Promise<RawAnswer> {
    const body = this.#bodyOfId(id);
    return this.#calls.send({ endpoint: 'status', body, authorization: this.#token });
  }

  #download(id: string, accept: string | null = 'application/json'): Promise<RawAnswer> {
    const body = this.#bodyOfId(id);
    return this.#calls.send({ endpoint: 'download', body, authorization: this.#token, accept });
  }

  #bodyOfId(id: string): CallBody {
    if (this.#encoding === 'json') {
      return { contentType: 'application/json', text: JSON.stringify({ id }) };
    }
    return { contentType: 'application/x-www-form-urlencoded', text: `id=${id}` };
  }

  #bodyOf(name: TrialReportName, more: object = {}): CallBody {
    const request = this.#requestOf(name);
    if (this.#encoding === 'form') {
      const { contentType, text } = encodeRequest(request, 'form');
      const fields = Object.keys(more).map((key) => `&${key}[0]=1`);
      return { contentType, text: text + fields.join('') };
    }
    const text = JSON.stringify({ ...requestParameters(request), ...more });
    return { contentType: 'application/json', text };
  }

  #requestOf(name: TrialReportName): ReportRequest {
    const request = this.#requests.get(name);
    if (!request) throw new TrialStopped(`the report “${name}” was not planned`);
    return request;
  }

  #metricFields(): string[] {
    const columns = columnsOf(this.#settings.profile, this.#requestOf('whole'));
    return columns.map(({ field }) => field).filter((field) => metricOfField(field));
  }

  /** Makes a trial; where it cannot be made, the statements that it was for are not tried. */
  async #attempt(ids: readonly StatementId[], trial: () => Promise<void>): Promise<void> {
    try {
      await trial();
    } catch (error) {
      if (!(error instanceof TrialStopped)) throw error;
      for (const id of ids) {
        if (!this.verdicts.has(id)) this.#skip(id, error.message);
      }
    }
  }

  #judge(id: StatementId, isHeld: boolean, came: string): void {
    if (isHeld) this.#holds(id);
    else this.#differs(id, came);
  }

  #holds(id: StatementId): void {
    this.verdicts.set(id, { result: 'holds', said: null });
  }

  #differs(id: StatementId, said: string): void {
    this.verdicts.set(id, { result: 'differs', said });
  }

  #skip(id: StatementId, why: string): void {
    this.verdicts.set(id, { result: 'not tried', said: why });
  }
}
