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
import { TrialSkipped } from './trial.ts';
import { isRefusal, type ReportDocument, statusWordIn } from './trial-answers.ts';
import type { TrialReport, TrialReportName } from './trial-reports.ts';

export interface TrialSettings {
  readonly profile: Profile;
  readonly encoding: Encoding;
  readonly windowClock: WindowClock;
  readonly token: string | undefined;
  readonly credentials: Credentials | undefined;

  /** Keeps a token out of all output. */
  readonly hide: (token: string) => void;
}

export interface TriedServiceOptions {
  readonly calls: ServiceCalls;
  readonly settings: TrialSettings;
  readonly reports: readonly TrialReport[];
  readonly host: Context['host'];
  readonly progress: Progress;
}

/** The answer to the sign-in. */
interface SignIn {
  readonly answer: RawAnswer;
  readonly token: string | undefined;
}

/** The last answer to the call that creates the report by DAILY. */
interface Creation {
  readonly answer: RawAnswer;

  /** How the service differs from its description; `undefined` if it does not. */
  readonly finding: string | undefined;
}

/** The wait for the report by DAILY. */
interface Waiting {
  /** The status in each answer, in order. */
  readonly words: readonly string[];

  /** The answer to a download before the report was ready; `undefined` if it was immediately. */
  readonly early: RawAnswer | undefined;
}

/** The report by HOURLY, ordered with a form, or with JSON if the form is refused. */
interface Hours {
  readonly formAnswer: RawAnswer;
  readonly acceptsForm: boolean;
  readonly document: ReportDocument;
}

/** Statuses that a service may answer if it cannot read the format of a body. */
const unreadableBodyStatuses = [400, 406, 415, 422];

/**
 * The examined service and its answers. A call is made, or a report ordered, when a trial first
 * needs it. If that fails, every trial that needs it gets a `TrialSkipped`.
 */
export class TriedService {
  readonly settings: TrialSettings;
  readonly orders: ReportOrders;
  readonly #calls: ServiceCalls;
  readonly #requests = new Map<TrialReportName, ReportRequest>();

  /** Answers to calls that should be refused. */
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
      throw new TrialSkipped('it needs a password: set ADREPORT_EMAIL and ADREPORT_PASSWORD');
    }

    const { email } = credentials;
    const text = JSON.stringify({ auth: { email, password: await passwordOf(credentials) } });
    const body = { contentType: 'application/json', text };
    const answer = await this.#calls.send({ endpoint: 'auth', body, expectsRefusal: true });
    const bareToken = answer.json === undefined ? findToken(answer.text) : undefined;
    const token = bareToken ?? findToken(answer.json);
    if (token !== undefined) hide(token);
    this.orders.token ??= token;
    return { answer, token };
  }

  /**
   * How the service differs from its description in the way it accepts the token; `undefined` if
   * it does not. Throws `SignInError` if it accepts the token in no way.
   */
  tokenFinding(): Promise<string | undefined> {
    this.#tokenFinding ??= this.#tryToken();
    return this.#tokenFinding;
  }

  async #tryToken(): Promise<string | undefined> {
    const { token } = this.orders;
    if (token === undefined) throw new SignInError('The answer to the sign-in has no token.', {});

    const answer = await this.callWith(token);
    if (!this.#isRefused(answer)) return undefined;

    const otherAnswer = await this.callWith(`Bearer ${token}`);
    if (this.#isRefused(otherAnswer)) {
      throw new SignInError(`The service rejected the token. (${answer.status})`, {
        hint: 'Sign in again with: adreport login (unattended: set ADREPORT_TOKEN)',
      });
    }
    return 'it accepts the token only after the word Bearer, which adreport does not send';
  }

  #isRefused({ status }: RawAnswer): boolean {
    return status === 401 || (status === 403 && this.isBuyer);
  }

  /** Throws `TrialSkipped` if the service did not accept the token. */
  async requireToken(): Promise<string> {
    const { token } = this.orders;
    const finding = await this.tokenFinding();
    if (token !== undefined && finding === undefined) return token;
    throw new TrialSkipped('the service did not accept the token (S02)');
  }

  /** The smallest call of the profile. DSP accounts may not have a list of campaigns. */
  callWith(authorization: string | undefined): Promise<RawAnswer> {
    if (this.isBuyer) return this.#calls.send({ endpoint: 'campaigns', authorization });
    return this.orders.statusOfUnknown(authorization);
  }

  campaigns(): Promise<RawAnswer> {
    this.#campaigns ??= this.requireToken().then((token) => this.callWith(token));
    return this.#campaigns;
  }

  /** Creates the report by DAILY, which most trials use, with JSON or, if it is refused, a form. */
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
    const mayAcceptForms = unreadableBodyStatuses.includes(answer.status);
    const isProfileMismatch = description.includes('PROFILE_MISMATCH');
    if (mayAcceptForms && !isProfileMismatch) {
      const asForm = await this.orders.create(request, { encoding: 'form' });
      if (reportIdIn(asForm) !== undefined) {
        this.orders.encoding = 'form';
        return { answer: asForm, finding: `${description}; ${this.#formAdvice()}` };
      }
    }

    if (!isProfileMismatch) return { answer, finding: description };
    const otherProfile = this.isBuyer ? 'dsp' : 'buyer';
    const advice = `for a ${otherProfile} account: adreport config set profile ${otherProfile}`;
    return { answer, finding: `${description}; ${advice}` };
  }

  #formAdvice(): string {
    const isSet = this.settings.encoding === 'form';
    return isSet
      ? 'it accepts forms only, which adreport sends'
      : 'it accepts forms only: adreport config set encoding form';
  }

  async daysId(): Promise<string> {
    const { answer } = await this.creation();
    const id = reportIdIn(answer);
    if (id === undefined) throw new TrialSkipped('no report could be created (S07)');
    return id;
  }

  firstStatus(): Promise<RawAnswer> {
    this.#firstStatus ??= this.daysId().then((id) => this.orders.status(id));
    return this.#firstStatus;
  }

  /** Tries to download the report by DAILY before it is ready, then waits for it. */
  waiting(): Promise<Waiting> {
    this.#waiting ??= this.#waitForDays();
    return this.#waiting;
  }

  async #waitForDays(): Promise<Waiting> {
    const id = await this.daysId();
    const firstWord = statusWordIn(await this.firstStatus());
    if (outcomeOf(firstWord) !== 'progress') return { words: [firstWord], early: undefined };

    const early = await this.orders.download(id);
    const words = await this.orders.waitUntilOver(id, 'the report by DAILY');
    return { words: [firstWord, ...words], early };
  }

  /** The answer to the download of the report by DAILY. */
  daysAnswer(): Promise<RawAnswer> {
    this.#daysAnswer ??= this.#downloadDays();
    return this.#daysAnswer;
  }

  async #downloadDays(): Promise<RawAnswer> {
    const id = await this.daysId();
    try {
      await this.waiting();
    } catch (error) {
      // The download may work anyway.
      if (!(error instanceof TrialSkipped)) throw error;
    }
    return this.orders.downloadReady(id);
  }

  /** The report by DAILY. If it cannot be downloaded, no other report is ordered. */
  async days(): Promise<ReportDocument> {
    return requireDocument(await this.daysAnswer(), 'the report by DAILY');
  }

  /** The report by DAILY. Throws `TrialSkipped` if it has no rows. */
  async daysWithRows(): Promise<ReportDocument> {
    const document = await this.days();
    if (document.rows.length === 0) throw new TrialSkipped('those days have no rows');
    return document;
  }

  /** The report by HOURLY, ordered with a form whose indexes have gaps, or else with JSON. */
  hours(): Promise<Hours> {
    this.#hours ??= this.#orderHours();
    return this.#hours;
  }

  async #orderHours(): Promise<Hours> {
    await this.days();
    const request = this.requestOf('hours');
    const form = encodeRequest(request, 'form');
    const text = form.text.replace('breakdowns[0]', 'breakdowns[7]').replace('[1]=', '[10]=');
    const formAnswer = await this.orders.send({ ...form, text });
    const acceptsForm = reportIdIn(formAnswer) !== undefined;

    const created = acceptsForm
      ? formAnswer
      : await this.orders.create(request, { encoding: 'json' });
    const document = await this.orders.fetch(created, 'the report by HOURLY');
    return { formAnswer, acceptsForm, document };
  }

  /** Orders a planned report, with `filters` instead of its own if given, and downloads it. */
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

  /** Sends a request that should be refused, with additional members. */
  async orderInvalid(name: TrialReportName, more: object = {}): Promise<RawAnswer> {
    await this.days();
    const answer = await this.orders.send(this.#bodyOf(name, more), { expectsRefusal: true });
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
    if (!request) throw new TrialSkipped(`the report “${name}” was not planned`);
    return request;
  }

  /** Row fields of the requested metrics. */
  metricFields(): string[] {
    const columns = columnsOf(this.settings.profile, this.requestOf('whole'));
    return columns.map(({ field }) => field).filter((field) => metricOfField(field));
  }
}
