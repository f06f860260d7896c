import { findToken, recordIn } from '../../api/answers.ts';
import type { Credentials } from '../../api/client.ts';
import type { CallBody } from '../../api/exchange.ts';
import type { Context } from '../../context.ts';
import { columnsOf, metricOfField } from '../../contract/columns.ts';
import {
  type Encoding,
  outcomeOf,
  type ReportRequest,
  type WindowClock,
} from '../../contract/messages.ts';
import type { StatementId } from '../../contract/statements.ts';
import { wallTimeOf } from '../../contract/values.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import { SignInError } from '../../errors.ts';
import { encodeRequest, requestParameters } from '../../report/request.ts';
import type { Progress } from '../../ui/progress.ts';
import {
  formatOf,
  hasFurtherPage,
  isCampaign,
  isCsv,
  isIsoWithOffset,
  isObject,
  isRefusal,
  isStatusRecord,
  isSuccess,
  memberOf,
  membersBesideRows,
  quoteStatus,
  type ReportDocument,
  statusWordIn,
  sumOf,
} from './answers.ts';
import { describeAnswer, type RawAnswer, reportIdIn, type ServiceCalls } from './calls.ts';
import { DocumentTrials } from './document-trials.ts';
import { ReportOrders, requireDocument } from './report-orders.ts';
import { otherZone, type TrialReport, type TrialReportName } from './trial-reports.ts';
import { TrialStopped, type Verdicts } from './verdicts.ts';

/** Who asks, and how the account is set up. */
export interface TrialSettings {
  readonly profile: Profile;
  readonly encoding: Encoding;
  readonly windowClock: WindowClock;
  readonly token: string | undefined;
  readonly credentials: Credentials | undefined;
  /** Keeps a token out of everything that is written. */
  readonly hide: (token: string) => void;
}

/** What the trials are made with. */
export interface TrialOptions {
  readonly calls: ServiceCalls;
  readonly verdicts: Verdicts;
  readonly settings: TrialSettings;
  readonly reports: readonly TrialReport[];
  readonly host: Context['host'];
  readonly progress: Progress;
}

/** The statuses with which a service may say that it cannot read the form of a body. */
const statusesOfForm = [400, 406, 415, 422];

/** Tries every statement of a profile on the service. */
export class ServiceTrials {
  readonly #calls: ServiceCalls;
  readonly #orders: ReportOrders;
  readonly #verdicts: Verdicts;
  readonly #settings: TrialSettings;
  readonly #requests = new Map<TrialReportName, ReportRequest>();
  /** The answers that were meant to be refusals, by what was asked. */
  readonly #refusals: RawAnswer[] = [];

  constructor(options: TrialOptions) {
    const { calls, verdicts, settings, reports } = options;
    this.#calls = calls;
    this.#orders = new ReportOrders(options);
    this.#verdicts = verdicts;
    this.#settings = settings;
    this.#orders.token = settings.token;
    for (const { name, request } of reports) this.#requests.set(name, request);
  }

  /**
   * Makes the trials in the order in which each can use what came before. Throws `SignInError` where the service takes the
   * token in no form, and `UnreachableError`.
   */
  async run(): Promise<void> {
    await this.#verdicts.attempt(['S01'], () => this.#trySignIn());

    const isSignedIn = await this.#tryToken();
    if (!isSignedIn) {
      this.#verdicts.skipOthers(this.#settings.profile, 'the token was not taken (S02)');
      return;
    }
    await this.#tryOtherTokens();
    if (this.#isBuyer) await this.#tryCampaignList();
    await this.#tryUnknownId();

    let whyNoReports = '';
    try {
      const days = await this.#tryDays();
      await this.#tryOtherReports(days);
    } catch (error) {
      if (!(error instanceof TrialStopped)) throw error;
      whyNoReports = error.message;
    }
    this.#judgeRefusals();
    this.#verdicts.skipOthers(this.#settings.profile, whyNoReports);
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
    this.#orders.token ??= token;

    const response = memberOf(answer.json, 'response');
    const isHeld = isSuccess(answer) && typeof memberOf(response, 'token') === 'string';
    this.#verdicts.judge('S01', isHeld, describeAnswer(answer));
  }

  /** Whether the service takes the token as it should. Where it takes it otherwise, that is said. */
  async #tryToken(): Promise<boolean> {
    const { token } = this.#orders;
    if (token === undefined) throw new SignInError('The sign-in was answered without a token.', {});

    const answer = await this.#callWith(token);
    if (!this.#isRefused(answer)) {
      this.#verdicts.holds('S02');
      return true;
    }

    const otherAnswer = await this.#callWith(`Bearer ${token}`);
    if (this.#isRefused(otherAnswer)) {
      throw new SignInError(`The service refused the token. (${answer.status})`, {
        hint: 'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN)',
      });
    }
    const said = 'it takes the token behind the word Bearer only, which adreport cannot send';
    this.#verdicts.differs('S02', said);
    return false;
  }

  async #tryOtherTokens(): Promise<void> {
    const withoutToken = await this.#callWith(undefined);
    this.#verdicts.judge('S03', withoutToken.status === 401, describeAnswer(withoutToken));
    this.#refusals.push(withoutToken);

    const withScheme = await this.#callWith(`Bearer ${this.#orders.token}`);
    this.#verdicts.judge('S04', withScheme.status === 401, describeAnswer(withScheme));
  }

  /** The smallest call of the profile: a DSP may have no list of campaigns. */
  #callWith(authorization: string | undefined): Promise<RawAnswer> {
    if (this.#isBuyer) return this.#calls.send({ endpoint: 'campaigns', authorization });
    return this.#orders.statusOfUnknown(authorization);
  }

  #isRefused({ status }: RawAnswer): boolean {
    return status === 401 || (status === 403 && this.#isBuyer);
  }

  async #tryCampaignList(): Promise<void> {
    const answer = await this.#callWith(this.#orders.token);
    const { json } = answer;
    const isList = isSuccess(answer) && Array.isArray(json) && json.every(isCampaign);
    const said = hasFurtherPage(answer) ? 'it links to a further page' : describeAnswer(answer);
    this.#verdicts.judge('S05', isList && !hasFurtherPage(answer), said);
    if (!Array.isArray(json) || json.length === 0) {
      this.#verdicts.skip('S06', 'no campaign was listed');
      return;
    }

    const dates: unknown[] = [];
    for (const campaign of json) {
      dates.push(memberOf(campaign, 'campaignStartDate'), memberOf(campaign, 'campaignEndDate'));
    }
    const other = dates.findIndex((date) => wallTimeOf(String(date)) === undefined);
    this.#verdicts.judge('S06', other === -1, `a date is ${formatOf(dates[other])}`);
  }

  async #tryUnknownId(): Promise<void> {
    const answer = await this.#orders.statusOfUnknown(this.#orders.token);
    this.#verdicts.judge('S23', answer.status === 404, describeAnswer(answer));
    this.#refusals.push(answer);
  }

  /** The report that most statements are about, from its creation to its second download. */
  async #tryDays(): Promise<ReportDocument> {
    const request = this.#requestOf('days');
    const created = await this.#createDays(request);
    const id = reportIdIn(created);
    if (id === undefined) throw new TrialStopped('no report could be made (S07)');

    const response = memberOf(created.json, 'response');
    const isRecord = isStatusRecord(created.json) && memberOf(response, 'report_id') === id;
    this.#verdicts.judge('S35', isRecord, describeAnswer(created));

    await this.#verdicts.attempt(['S32'], () => this.#waitForDays(id));

    const answer = await this.#orders.downloadReady(id);
    const isDocument =
      isSuccess(answer) &&
      Array.isArray(memberOf(answer.json, 'data')) &&
      isObject(memberOf(answer.json, 'summary'));
    this.#verdicts.judge('S11', isDocument, describeAnswer(answer));

    const document = requireDocument(answer, 'the report by DAILY');
    this.#judgeBesideRows(answer);
    const again = await this.#orders.download(id);
    this.#verdicts.judge('S31', again.text === answer.text, describeAnswer(again));
    return document;
  }

  /** Asks for the days in JSON, and as a form where the service takes no JSON. */
  async #createDays(request: ReportRequest): Promise<RawAnswer> {
    const answer = await this.#orders.create(request);
    if (reportIdIn(answer) !== undefined) {
      this.#verdicts.holds('S07');
      return answer;
    }

    const description = describeAnswer(answer);
    const mayTakeForms = statusesOfForm.includes(answer.status);
    const isOfOtherProfile = description.includes('PROFILE_MISMATCH');
    if (mayTakeForms && !isOfOtherProfile) {
      const asForm = await this.#orders.create(request, { encoding: 'form' });
      if (reportIdIn(asForm) !== undefined) {
        this.#orders.encoding = 'form';
        this.#verdicts.differs('S07', `${description}; ${this.#adviceOnForms()}`);
        return asForm;
      }
    }

    const otherProfile = this.#isBuyer ? 'dsp' : 'buyer';
    const advice = isOfOtherProfile
      ? `; if the account is a ${otherProfile} account: adreport config set profile ${otherProfile}`
      : '';
    this.#verdicts.differs('S07', `${description}${advice}`);
    return answer;
  }

  #adviceOnForms(): string {
    const isSet = this.#settings.encoding === 'form';
    return isSet
      ? 'it takes forms only, and adreport sends it forms'
      : 'it takes forms only: adreport config set encoding form';
  }

  /** Waits for the report, and tries to have it before it is ready. */
  async #waitForDays(id: string): Promise<void> {
    const first = await this.#orders.status(id);
    const isRecord = isSuccess(first) && isStatusRecord(first.json);
    this.#verdicts.judge('S09', isRecord, describeAnswer(first));

    let words = [statusWordIn(first)];
    if (outcomeOf(statusWordIn(first)) === 'progress') {
      const early = await this.#orders.download(id);
      words = [...words, ...(await this.#orders.waitUntilOver(id, 'the report by DAILY'))];
      if (isSuccess(early) && words[1] === 'ready') {
        this.#verdicts.skip('S32', 'the report was ready before it could be asked for');
      } else {
        this.#verdicts.judge('S32', early.status === 409, describeAnswer(early));
      }
    } else {
      this.#verdicts.skip('S32', 'the report was ready at once');
    }

    const before = words.slice(0, -1);
    const isAsDescribed = words.at(-1) === 'ready' && before.every((word) => word === 'progress');
    const distinctWords = [...new Set(words)].map(quoteStatus);
    this.#verdicts.judge('S10', isAsDescribed, `it says ${distinctWords.join(', ')}`);
  }

  /** Whether a report says of itself that it is not all there is. */
  #judgeBesideRows(answer: RawAnswer): void {
    const found = membersBesideRows(answer);
    if (answer.status !== 200) found.push(`status ${answer.status}`);
    if (hasFurtherPage(answer)) found.push('a link to a further page');
    this.#verdicts.judge('S36', found.length === 0, `beside the rows: ${found.join(', ')}`);
  }

  /** The statements that are about one report alone, and then the other reports. */
  async #tryOtherReports(days: ReportDocument): Promise<void> {
    const { profile, windowClock } = this.#settings;
    const question = { profile, windowClock, request: this.#requestOf('days') };
    new DocumentTrials(this.#verdicts, question).judge(days);

    await this.#verdicts.attempt(['S19'], () => this.#tryWhole(days));
    await this.#verdicts.attempt(['S08', 'S22'], () => this.#tryHours());
    await this.#verdicts.attempt(['S30'], () => this.#tryDirect());
    if (this.#isBuyer) {
      await this.#verdicts.attempt(['S12'], () => this.#tryFilter());
      await this.#verdicts.attempt(['S29'], () => this.#tryAdvertiser());
    } else {
      await this.#verdicts.attempt(['S28'], () => this.#tryCsv());
      await this.#verdicts.attempt(['S15'], () => this.#tryZone());
    }

    await this.#tryRefusal('S24', this.#bodyOf('twoTimes'));
    await this.#tryRefusal('S26', this.#bodyOf('unknownParameter', { campaingId: ['1'] }));
    await this.#tryRefusal('S27', this.#bodyOf('backwards'));
  }

  async #tryWhole(days: ReportDocument): Promise<void> {
    const whole = await this.#order('whole', 'the report as one row');
    if (days.rows.length === 0) throw new TrialStopped('there are no rows in those days');

    // A field without numbers is told by the statements on fields.
    const fields = this.#metricFields().filter((field) => sumOf(days.rows, field) !== undefined);
    if (fields.length === 0) throw new TrialStopped('the rows have no numbers');
    const differing = fields.filter(
      (field) => sumOf(days.rows, field) !== sumOf(whole.rows, field),
    );
    this.#verdicts.judge(
      'S19',
      differing.length === 0,
      `the days and the whole differ in ${differing.join(', ')}`,
    );
  }

  /** Hours, asked for as a form with indexes that leave gaps; in JSON where the form is refused. */
  async #tryHours(): Promise<void> {
    const request = this.#requestOf('hours');
    const form = encodeRequest(request, 'form');
    const text = form.text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
    const asked = await this.#orders.send({ ...form, text });
    const isTaken = reportIdIn(asked) !== undefined;

    const created = isTaken ? asked : await this.#orders.create(request, { encoding: 'json' });
    const document = await this.#orders.fetch(created, 'the report by HOURLY');
    const echoed = document.summary.breakdowns;
    const isRead = isTaken && Array.isArray(echoed) && echoed.includes('HOURLY');
    const isReadWhole = isRead && echoed.includes('FORMAT');
    const said = isTaken ? 'the summary lacks a breakdown of the form' : describeAnswer(asked);
    this.#verdicts.judge('S08', isReadWhole, said);

    const hours = document.rows.map(({ hour }) => hour);
    if (hours.length === 0) throw new TrialStopped('there are no rows in that day');
    const other = hours.findIndex((hour) => !isIsoWithOffset(String(hour)));
    this.#verdicts.judge('S22', other === -1, `an hour is ${formatOf(hours[other])}`);
  }

  async #tryDirect(): Promise<void> {
    const answer = await this.#orders.create(this.#requestOf('direct'));
    const isData = isSuccess(answer) && Array.isArray(memberOf(answer.json, 'data'));
    const isHeld = isData && reportIdIn(answer) === undefined;
    this.#verdicts.judge('S30', isHeld, describeAnswer(answer));
  }

  async #tryFilter(): Promise<void> {
    const all = await this.#order('campaigns', 'the report by CAMPAIGN');
    const row = all.rows.find(({ campaignId }) => /^\d+$/.test(String(campaignId)));
    if (!row) throw new TrialStopped('no campaign has rows in those days');

    const campaignId = String(row.campaignId);
    const request = { ...this.#requestOf('oneCampaign'), filters: { campaignId: [campaignId] } };
    const created = await this.#orders.create(request);
    const one = await this.#orders.fetch(created, 'the report of one campaign');

    const isAlone = one.rows.every((other) => String(other.campaignId) === campaignId);
    const ofCampaign = all.rows.filter((other) => String(other.campaignId) === campaignId);
    const isSame = this.#metricFields().every(
      (field) => sumOf(one.rows, field) === sumOf(ofCampaign, field),
    );
    const said = isAlone
      ? 'the campaign has other sums with the filter than without'
      : 'other campaigns came, too';
    this.#verdicts.judge('S12', one.rows.length > 0 && isAlone && isSame, said);
  }

  async #tryAdvertiser(): Promise<void> {
    const answer = await this.#orders.create(this.#requestOf('advertiser'), {
      isMeantToFail: true,
    });
    if (reportIdIn(answer) !== undefined) {
      throw new TrialStopped('the account may filter by advertiserId, as an administrator may');
    }
    this.#verdicts.judge('S29', isRefusal(answer), describeAnswer(answer));
    this.#refusals.push(answer);
  }

  async #tryCsv(): Promise<void> {
    const created = await this.#orders.create(this.#requestOf('csv'), { accept: null });
    const id = reportIdIn(created);
    if (id === undefined) {
      this.#verdicts.judge('S28', isCsv(created), describeAnswer(created));
      return;
    }

    await this.#orders.waitUntilOver(id, 'the report as CSV');
    const answer = await this.#orders.downloadReady(id, null);
    this.#verdicts.judge('S28', isCsv(answer), describeAnswer(answer));
  }

  async #tryZone(): Promise<void> {
    const { summary } = await this.#order('zone', `the report in the zone ${otherZone}`);
    const isStated = summary.timezone === otherZone;
    const isMadeSo = /\+09:?00$/.test(String(summary.since));
    const said = isStated
      ? 'the window of the summary is in another zone'
      : `the summary has ${formatOf(summary.timezone)} for timezone`;
    this.#verdicts.judge('S15', isStated && isMadeSo, said);
  }

  async #tryRefusal(id: StatementId, body: CallBody): Promise<void> {
    const answer = await this.#orders.send(body, { isMeantToFail: true });
    this.#verdicts.judge(id, isRefusal(answer), describeAnswer(answer));
    if (isRefusal(answer) || answer.status >= 500) this.#refusals.push(answer);
  }

  /** A refusal tells itself by its status; those that were meant to be refused and were not are told by their own trials. */
  #judgeRefusals(): void {
    const other = this.#refusals.find(({ status, json }) => {
      const isError = status >= 500 || recordIn(json).isError;
      return isError && (status < 400 || status > 499);
    });
    this.#verdicts.judge('S25', other === undefined, other ? describeAnswer(other) : '');
  }

  /** Asks for a report as planned, waits for it, and reads it. */
  async #order(name: TrialReportName, what: string): Promise<ReportDocument> {
    const created = await this.#orders.create(this.#requestOf(name));
    return this.#orders.fetch(created, what);
  }

  /** A request as it would be sent, with members that no request has. */
  #bodyOf(name: TrialReportName, more: object = {}): CallBody {
    const request = this.#requestOf(name);
    if (this.#orders.encoding === 'form') {
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
}
