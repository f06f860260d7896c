import { findToken } from '../../api/answers.ts';
import { type Credentials, passwordOf } from '../../api/client.ts';
import type { CallBody } from '../../api/exchange.ts';
import type { Context } from '../../context.ts';
import { columnsOf, metricOfField } from '../../contract/columns.ts';
import {
  type Encoding,
  outcomeOf,
  type ReportRequest,
  type WindowClock,
} from '../../contract/messages.ts';
import type { Profile } from '../../contract/vocabulary.ts';
import { SignInError } from '../../errors.ts';
import { encodeRequest, requestParameters } from '../../report/request.ts';
import type { Progress } from '../../ui/progress.ts';
import { describeAnswer, type RawAnswer, reportIdIn, type ServiceCalls } from './calls.ts';
import { ReportOrders, requireDocument } from './report-orders.ts';
import { TrialStopped } from './trial.ts';
import { isRefusal, type ReportDocument, statusWordIn } from './trial-answers.ts';
import type { TrialReport, TrialReportName } from './trial-reports.ts';

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
export interface TriedServiceOptions {
  readonly calls: ServiceCalls;
  readonly settings: TrialSettings;
  readonly reports: readonly TrialReport[];
  readonly host: Context['host'];
  readonly progress: Progress;
}

/** The sign-in as it was answered. */
interface SignIn {
  readonly answer: RawAnswer;
  readonly token: string | undefined;
}

/** The call that creates the report by DAILY, as it was answered in the end. */
interface Creation {
  readonly answer: RawAnswer;

  /** What was otherwise than described; `undefined` where nothing was. */
  readonly finding: string | undefined;
}

/** The report by DAILY on its way. */
interface Waiting {
  /** What the status calls said, one after the other. */
  readonly words: readonly string[];

  /**
   * The download that was asked for before the report was ready; `undefined` where it was ready at
   * once.
   */
  readonly early: RawAnswer | undefined;
}

/** The report by HOURLY, which is asked for as a form, and in JSON where the form is refused. */
interface Hours {
  readonly asked: RawAnswer;
  readonly isForm: boolean;
  readonly document: ReportDocument;
}

/** The statuses with which a service may say that it cannot read the form of a body. */
const statusesOfForm = [400, 406, 415, 422];

/**
 * A service that is tried, and what it has answered. Each call is made, and each report ordered,
 * when a trial first needs it. What could not be had throws `TrialStopped`, in each trial that
 * needs it.
 */
export class TriedService {
  readonly settings: TrialSettings;
  readonly orders: ReportOrders;
  readonly #calls: ServiceCalls;
  readonly #requests = new Map<TrialReportName, ReportRequest>();

  /** The answers that were meant to be refusals. */
  readonly refusals: RawAnswer[] = [];

  #signIn: Promise<SignIn> | undefined;
  #tokenFinding: Promise<string | undefined> | undefined;
  #campaigns: Promise<RawAnswer> | undefined;
  #creation: Promise<Creation> | undefined;
  #firstStatus: Promise<RawAnswer> | undefined;
  #waiting: Promise<Waiting> | undefined;
  #daysAnswer: Promise<RawAnswer> | undefined;
  #hours: Promise<Hours> | undefined;

  constructor({ calls, settings, reports, host, progress }: TriedServiceOptions) {
    this.settings = settings;
    this.orders = new ReportOrders({ calls, host, progress });
    this.orders.token = settings.token;
    this.#calls = calls;
    for (const { name, request } of reports) this.#requests.set(name, request);
  }

  get isBuyer(): boolean {
    return this.settings.profile === 'buyer';
  }

  signIn(): Promise<SignIn> {
    this.#signIn ??= this.#makeSignIn();
    return this.#signIn;
  }

  async #makeSignIn(): Promise<SignIn> {
    const { credentials, hide } = this.settings;
    if (!credentials) {
      throw new TrialStopped('there is no password: set ADREPORT_EMAIL and ADREPORT_PASSWORD');
    }

    const { email } = credentials;
    const text = JSON.stringify({ auth: { email, password: await passwordOf(credentials) } });
    const body = { contentType: 'application/json', text };
    const answer = await this.#calls.send({ endpoint: 'auth', body, isMeantToFail: true });
    const bareToken = answer.json === undefined ? findToken(answer.text) : undefined;
    const token = bareToken ?? findToken(answer.json);
    if (token !== undefined) hide(token);
    this.orders.token ??= token;
    return { answer, token };
  }

  /**
   * What is otherwise than described in how the service takes the token; `undefined` where nothing
   * is.
   * @throws SignInError where it takes it in no form
   */
  tokenFinding(): Promise<string | undefined> {
    this.#tokenFinding ??= this.#tryToken();
    return this.#tokenFinding;
  }

  async #tryToken(): Promise<string | undefined> {
    const { token } = this.orders;
    if (token === undefined) throw new SignInError('The sign-in was answered without a token.', {});

    const answer = await this.callWith(token);
    if (!this.#isRefused(answer)) return undefined;

    const otherAnswer = await this.callWith(`Bearer ${token}`);
    if (this.#isRefused(otherAnswer)) {
      throw new SignInError(`The service refused the token. (${answer.status})`, {
        hint: 'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN)',
      });
    }
    return 'it takes the token behind the word Bearer only, which adreport cannot send';
  }

  #isRefused({ status }: RawAnswer): boolean {
    return status === 401 || (status === 403 && this.isBuyer);
  }

  /**
   * Throws `TrialStopped` where the service did not take the token: nothing more can be asked of
   * it.
   */
  async requireToken(): Promise<string> {
    const { token } = this.orders;
    const finding = await this.tokenFinding();
    if (token !== undefined && finding === undefined) return token;
    throw new TrialStopped('the token was not taken (S02)');
  }

  /** The smallest call of the profile: a DSP may have no list of campaigns. */
  callWith(authorization: string | undefined): Promise<RawAnswer> {
    if (this.isBuyer) return this.#calls.send({ endpoint: 'campaigns', authorization });
    return this.orders.statusOfUnknown(authorization);
  }

  /** The list of campaigns. */
  campaigns(): Promise<RawAnswer> {
    this.#campaigns ??= this.requireToken().then((token) => this.callWith(token));
    return this.#campaigns;
  }

  /**
   * The call that creates the report which most statements are about: in JSON, or as a form where
   * JSON is not taken.
   */
  creation(): Promise<Creation> {
    this.#creation ??= this.#createDays();
    return this.#creation;
  }

  async #createDays(): Promise<Creation> {
    await this.requireToken();
    const request = this.requestOf('days');
    const answer = await this.orders.create(request);
    if (reportIdIn(answer) !== undefined) return { answer, finding: undefined };

    const description = describeAnswer(answer);
    const mayTakeForms = statusesOfForm.includes(answer.status);
    const isOfOtherProfile = description.includes('PROFILE_MISMATCH');
    if (mayTakeForms && !isOfOtherProfile) {
      const asForm = await this.orders.create(request, { encoding: 'form' });
      if (reportIdIn(asForm) !== undefined) {
        this.orders.encoding = 'form';
        return { answer: asForm, finding: `${description}; ${this.#adviceOnForms()}` };
      }
    }

    if (!isOfOtherProfile) return { answer, finding: description };
    const otherProfile = this.isBuyer ? 'dsp' : 'buyer';
    const advice = `if the account is a ${otherProfile} account: adreport config set profile ${otherProfile}`;
    return { answer, finding: `${description}; ${advice}` };
  }

  #adviceOnForms(): string {
    const isSet = this.settings.encoding === 'form';
    return isSet
      ? 'it takes forms only, and adreport sends it forms'
      : 'it takes forms only: adreport config set encoding form';
  }

  async idOfDays(): Promise<string> {
    const { answer } = await this.creation();
    const id = reportIdIn(answer);
    if (id === undefined) throw new TrialStopped('no report could be made (S07)');
    return id;
  }

  firstStatus(): Promise<RawAnswer> {
    this.#firstStatus ??= this.idOfDays().then((id) => this.orders.status(id));
    return this.#firstStatus;
  }

  /** Waits for the report by DAILY, and asks for it before it is ready. */
  waiting(): Promise<Waiting> {
    this.#waiting ??= this.#waitForDays();
    return this.#waiting;
  }

  async #waitForDays(): Promise<Waiting> {
    const id = await this.idOfDays();
    const firstWord = statusWordIn(await this.firstStatus());
    if (outcomeOf(firstWord) !== 'progress') return { words: [firstWord], early: undefined };

    const early = await this.orders.download(id);
    const words = await this.orders.waitUntilOver(id, 'the report by DAILY');
    return { words: [firstWord, ...words], early };
  }

  /** The report by DAILY as it was downloaded, or what came in its place. */
  daysAnswer(): Promise<RawAnswer> {
    this.#daysAnswer ??= this.#downloadDays();
    return this.#daysAnswer;
  }

  async #downloadDays(): Promise<RawAnswer> {
    const id = await this.idOfDays();
    try {
      await this.waiting();
    } catch (error) {
      // It may be there all the same.
      if (!(error instanceof TrialStopped)) throw error;
    }
    return this.orders.downloadReady(id);
  }

  /** The report by DAILY. Nothing else is ordered of a service that does not give it. */
  async days(): Promise<ReportDocument> {
    return requireDocument(await this.daysAnswer(), 'the report by DAILY');
  }

  /** The report by DAILY where it has rows. */
  async daysWithRows(): Promise<ReportDocument> {
    const document = await this.days();
    if (document.rows.length === 0) throw new TrialStopped('there are no rows in those days');
    return document;
  }

  /**
   * The report by HOURLY, asked for as a form with indexes that leave gaps; in JSON where that is
   * refused.
   */
  hours(): Promise<Hours> {
    this.#hours ??= this.#orderHours();
    return this.#hours;
  }

  async #orderHours(): Promise<Hours> {
    await this.days();
    const request = this.requestOf('hours');
    const form = encodeRequest(request, 'form');
    const text = form.text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
    const asked = await this.orders.send({ ...form, text });
    const isForm = reportIdIn(asked) !== undefined;

    const created = isForm ? asked : await this.orders.create(request, { encoding: 'json' });
    const document = await this.orders.fetch(created, 'the report by HOURLY');
    return { asked, isForm, document };
  }

  /**
   * Asks for a report as planned, with other filters where they are given, waits for it, and reads
   * it.
   */
  async order(
    name: TrialReportName,
    what: string,
    filters?: ReportRequest['filters'],
  ): Promise<ReportDocument> {
    await this.days();
    const request = this.requestOf(name);
    const created = await this.orders.create(filters ? { ...request, filters } : request);
    return this.orders.fetch(created, what);
  }

  /** Asks for what should be refused, with members that no request has. */
  async askForRefused(name: TrialReportName, more: object = {}): Promise<RawAnswer> {
    await this.days();
    const answer = await this.orders.send(this.#bodyOf(name, more), { isMeantToFail: true });
    if (isRefusal(answer) || answer.status >= 500) this.refusals.push(answer);
    return answer;
  }

  #bodyOf(name: TrialReportName, more: object): CallBody {
    const request = this.requestOf(name);
    if (this.orders.encoding === 'form') {
      const { contentType, text } = encodeRequest(request, 'form');
      const fields = Object.keys(more).map((key) => `&${key}[0]=1`);
      return { contentType, text: text + fields.join('') };
    }
    const text = JSON.stringify({ ...requestParameters(request), ...more });
    return { contentType: 'application/json', text };
  }

  requestOf(name: TrialReportName): ReportRequest {
    const request = this.#requests.get(name);
    if (!request) throw new TrialStopped(`the report “${name}” was not planned`);
    return request;
  }

  /** The row fields of the metrics that the reports are asked for. */
  metricFields(): string[] {
    const columns = columnsOf(this.settings.profile, this.requestOf('whole'));
    return columns.map(({ field }) => field).filter((field) => metricOfField(field));
  }
}
