import type { StatementId } from '../../src/contract/statements.ts';
import {
  type Damage,
  jsonAnswer,
  type PassingAnswer,
  type PassingCall,
} from '../support/damaged-service.ts';

/**
 * Services that do one thing otherwise than the local server, and what `doctor --service` says of
 * each: the statements that differ, all of them; or why nothing does. Here stands what no literal
 * answer can show, because it follows from the call, from another report, or from all rows: the
 * others stand in `service-variants.ts`.
 */
export type ServiceDamage = Damage &
  (
    | { readonly differs: readonly [StatementId, ...StatementId[]] }
    | { readonly differs: readonly []; readonly unseen: string }
  );

type Row = Readonly<Record<string, unknown>>;
type Change = (json: Row) => unknown;
type Answer = (answer: PassingAnswer, call: PassingCall) => PassingAnswer;

/** Changes the JSON of the answers of a path that are successes. */
function at(path: string, change: Change): Answer {
  return (answer, call) => {
    const isChanged = call.path === path && answer.status === 200 && answer.json !== undefined;
    return isChanged ? { ...answer, json: change(answer.json as Row) } : answer;
  };
}

/** Changes the JSON of every report. */
const report = (change: Change): Answer => at('/download-reporting', change);

/** Changes the rows of the reports that are broken down so; of all where nothing is named. */
function rows(change: (rows: readonly Row[]) => unknown, breakdown?: string): Answer {
  return report((document) => {
    const breakdowns = (document.summary as Row).breakdowns as readonly string[];
    const isChanged = breakdown === undefined || breakdowns.includes(breakdown);
    return isChanged ? { ...document, data: change(document.data as readonly Row[]) } : document;
  });
}

/** Changes each row of the reports that are broken down so. */
const eachRow = (change: (row: Row) => unknown, breakdown?: string): Answer =>
  rows((all) => all.map(change), breakdown);

/** Changes the summary of every report. */
const summary = (change: Change): Answer =>
  report((document) => ({ ...document, summary: change(document.summary as Row) }));

/** Changes the record under `response` in the answers of a path, which may be a report instead. */
const record = (path: string, change: Change): Answer =>
  at(path, (json) => ('response' in json ? change(json.response as Row) : json));

const create = (change: Change): Answer => record('/buyer-reporting', change);
const status = (change: Change): Answer => record('/status-reporting', change);
const campaigns = (change: (all: readonly Row[]) => unknown): Answer =>
  at('/campaigns', (json) => change(json as unknown as readonly Row[]));

/** Changes the refusals of a path. */
function refusal(path: string, change: (answer: PassingAnswer) => PassingAnswer): Answer {
  return (answer, call) => (call.path === path && answer.status >= 400 ? change(answer) : answer);
}

/** Changes the JSON body of a create call before it arrives. */
function order(change: (body: Row) => Row): (call: PassingCall) => PassingCall {
  return (call) => (call.path === '/buyer-reporting' ? { ...call, body: change(call.body) } : call);
}

const isEarly = (answer: PassingAnswer, call: PassingCall): boolean =>
  call.path === '/download-reporting' && answer.status === 409;

const without = (row: Row, name: string): Row => {
  const { [name]: _gone, ...rest } = row;
  return rest;
};
const renamed = (row: Row, from: string, to: string): Row => ({
  ...without(row, from),
  [to]: row[from],
});
const isTotal = (document: Row): boolean =>
  ((document.summary as Row).breakdowns as readonly string[]).join() === '';

const signIn: readonly ServiceDamage[] = [
  {
    name: 'the token stands behind Bearer only',
    call: (call) => {
      const isScheme = call.authorization?.startsWith('Bearer ') ?? false;
      const isOpen = call.path === '/auth-reporting';
      if (!isScheme && !isOpen) return jsonAnswer(401, { error: 'no scheme' });
      return { ...call, authorization: call.authorization?.replace('Bearer ', '') };
    },
    differs: ['S02'],
  },
  {
    name: 'a call without a token is answered',
    call: (call) => ({
      ...call,
      authorization: call.authorization ?? '00000000000000000000000000000000000000b1',
    }),
    differs: ['S03'],
  },
  {
    name: 'a call without a token is refused with 403',
    answer: (answer, call) =>
      call.authorization === undefined && answer.status === 401
        ? { ...answer, status: 403 }
        : answer,
    differs: ['S03'],
  },
  {
    name: 'a call without a token is refused with 200 and an error',
    answer: (answer, call) =>
      call.authorization === undefined && answer.status === 401
        ? { ...answer, status: 200 }
        : answer,
    differs: ['S03', 'S25'],
  },
  {
    name: 'a scheme word before the token is passed over',
    call: (call) => ({ ...call, authorization: call.authorization?.replace('Bearer ', '') }),
    differs: ['S04'],
  },
];

const lists: readonly ServiceDamage[] = [
  {
    name: 'campaignId is a number',
    answer: campaigns((all) => all.map((one) => ({ ...one, campaignId: Number(one.campaignId) }))),
    differs: ['S05'],
  },
  {
    name: 'the ids of ad units are numbers',
    answer: campaigns((all) =>
      all.map((one) => ({
        ...one,
        adunits: (one.adunits as readonly Row[]).map((unit) => ({ ...unit, adunitId: 7 })),
      })),
    ),
    differs: ['S05'],
  },
  {
    name: 'a campaign starts at a date with a T',
    answer: campaigns((all) =>
      all.map((one) => ({ ...one, campaignStartDate: '2026-01-01T00:00:00' })),
    ),
    differs: ['S06'],
  },
  {
    name: 'a campaign ends at a date without a time',
    answer: campaigns((all) => all.map((one) => ({ ...one, campaignEndDate: '2026-01-01' }))),
    differs: ['S06'],
  },
  {
    name: 'a campaign without an end has null there',
    answer: campaigns((all) => all.map((one) => ({ ...one, campaignEndDate: null }))),
    differs: ['S06'],
  },
  {
    name: 'there are no campaigns',
    answer: campaigns(() => []),
    differs: [],
    unseen: 'an account may have none: S06 is not tried',
  },
  {
    name: 'a campaign has a member more',
    answer: campaigns((all) => all.map((one) => ({ ...one, budget: 1 }))),
    differs: [],
    unseen: 'the description does not say that there are no further members',
  },
  {
    name: 'some campaigns are left out of the list',
    answer: campaigns((all) => all.slice(3)),
    differs: [],
    unseen: 'which campaigns an account sees is not described',
  },
];

const creation: readonly ServiceDamage[] = [
  {
    name: 'the id stands alone under response',
    answer: create(({ report_id }) => ({ response: { report_id } })),
    differs: ['S35'],
  },
  {
    name: 'a report is created with 201',
    answer: (answer, call) =>
      call.path === '/buyer-reporting' && answer.status === 200
        ? { ...answer, status: 201 }
        : answer,
    differs: [],
    unseen: 'each status of 2xx means success',
  },
  {
    name: 'a warning stands beside the id',
    answer: create((response) => ({ response: { ...response, warning: 'late' } })),
    differs: [],
    unseen: 'the answer to the create call is not described; run says the warning',
  },
  {
    name: 'JSON is refused',
    call: (call) => {
      const isJson = call.path === '/buyer-reporting' && call.contentType === 'application/json';
      return isJson ? jsonAnswer(415, { error: 'no JSON' }) : call;
    },
    differs: ['S07'],
  },
  {
    name: 'every create call is refused',
    call: (call) =>
      call.path === '/buyer-reporting' ? jsonAnswer(403, { error: 'no reports' }) : call,
    differs: ['S07'],
  },
  {
    name: 'forms are refused',
    call: (call) => {
      const isForm = call.contentType === 'application/x-www-form-urlencoded';
      return isForm ? jsonAnswer(415, { error: 'no forms' }) : call;
    },
    differs: ['S08'],
  },
  {
    name: 'a form has only the first of its breakdowns',
    call: (call) => ({
      ...call,
      text: call.text.replace(/&breakdowns%5B10%5D=\w+|&breakdowns\[10\]=\w+/, ''),
    }),
    differs: ['S08'],
  },
  {
    name: 'of two time breakdowns the second is passed over',
    call: order((body) => {
      const breakdowns = (body.breakdowns ?? []) as readonly string[];
      const times = breakdowns.filter((name) => name === 'DAILY' || name === 'MONTHLY');
      return times.length > 1 ? { ...body, breakdowns: times.slice(0, 1) } : body;
    }),
    differs: ['S24'],
  },
  {
    name: 'a refused request is answered with 200 and an error',
    answer: refusal('/buyer-reporting', (answer) => ({ ...answer, status: 200 })),
    differs: ['S25'],
  },
  {
    name: 'a refused request is answered with 500',
    answer: refusal('/buyer-reporting', (answer) => ({ ...answer, status: 500 })),
    differs: ['S24', 'S25', 'S26', 'S27', 'S29'],
  },
  {
    name: 'unknown parameters are passed over',
    server: { lenient: true },
    differs: ['S26'],
  },
  {
    name: 'a window that ends before it begins is turned',
    call: order((body) =>
      Number(body.since) > Number(body.until)
        ? { ...body, since: body.until, until: body.since }
        : body,
    ),
    differs: ['S27'],
  },
  {
    name: 'a filter by advertiser is passed over',
    call: order((body) => without(body, 'advertiserId')),
    differs: [],
    unseen: 'the account looks like an administrator’s, which may use the filter: S29 is not tried',
  },
  {
    name: 'output=direct is passed over',
    call: order((body) => without(body, 'output')),
    differs: ['S30'],
  },
  {
    name: 'output=direct is answered with CSV',
    answer: (answer, call) =>
      call.body.output === 'direct'
        ? {
            status: 200,
            headers: { 'content-type': 'text/csv' },
            json: undefined,
            text: 'date\r\n',
          }
        : answer,
    differs: ['S30'],
  },
  {
    name: 'the first call is answered with 429',
    call: (call) =>
      call.path === '/buyer-reporting' && call.nth === 1 ? jsonAnswer(429, {}) : call,
    differs: [],
    unseen: 'limits are not described, and are waited out',
  },
];

const waiting: readonly ServiceDamage[] = [
  {
    name: 'the status has no message',
    answer: status((response) => ({ response: without(response, 'message') })),
    differs: ['S09'],
  },
  {
    name: 'the status calls the id id',
    answer: status((response) => ({ response: renamed(response, 'report_id', 'id') })),
    differs: ['S09'],
  },
  {
    name: 'a report in progress is called pending',
    answer: status((response) => ({
      response: { ...response, status: String(response.status).replace('progress', 'pending') },
    })),
    differs: ['S10'],
  },
  {
    name: 'the status call knows no report',
    call: (call) =>
      call.path === '/status-reporting' ? jsonAnswer(404, { error: 'unknown' }) : call,
    differs: ['S09', 'S10'],
  },
  {
    name: 'reports are ready at once',
    server: { delayMs: 0 },
    differs: [],
    unseen: 'how long a report takes is not described: S32 is not tried',
  },
  {
    name: 'a warning stands in the status',
    answer: status((response) => ({ response: { ...response, warning: 'late data' } })),
    differs: [],
    unseen: 'the description does not say that there are no further members; run says the warning',
  },
  {
    name: 'the status call is answered with 503 now and then',
    call: (call) =>
      call.path === '/status-reporting' && call.nth % 2 === 1 ? jsonAnswer(503, {}) : call,
    differs: [],
    unseen: 'a service may be busy: the call is made again',
  },
  {
    name: 'an unknown report is refused with 400',
    answer: refusal('/status-reporting', (answer) => ({ ...answer, status: 400 })),
    differs: ['S23'],
  },
  {
    name: 'an unknown report has failed, with 200',
    answer: refusal('/status-reporting', () => jsonAnswer(200, { response: { status: 'failed' } })),
    differs: ['S23', 'S25'],
  },
  {
    name: 'a download before its time is refused with 400',
    answer: (answer, call) => (isEarly(answer, call) ? { ...answer, status: 400 } : answer),
    differs: ['S32'],
  },
  {
    name: 'a download before its time is empty',
    answer: (answer, call) =>
      isEarly(answer, call) ? jsonAnswer(200, { data: [], summary: {} }) : answer,
    differs: ['S32'],
  },
];

const documents: readonly ServiceDamage[] = [
  {
    name: 'the rows are called rows',
    answer: report((document) => renamed(document, 'data', 'rows')),
    differs: ['S11'],
  },
  {
    name: 'a second download has the rows in another order',
    answer: (answer, call) =>
      call.nth > 2 ? rows((all) => [...all].reverse())(answer, call) : answer,
    differs: ['S31'],
  },
  {
    name: 'a report says that it was cut',
    answer: report((document) => ({ ...document, truncated: true })),
    differs: ['S36'],
  },
  {
    name: 'a report says in its summary how many rows it has',
    answer: summary((all) => ({ ...all, rowCount: 1 })),
    differs: ['S36'],
  },
];

const windows: readonly ServiceDamage[] = [
  {
    name: 'the summary has its times in UTC',
    answer: summary((all) => ({
      ...all,
      since: '2026-11-15T23:00:00Z',
      until: '2026-11-18T22:59:59Z',
    })),
    differs: ['S13'],
  },
  {
    name: 'the offsets of the summary have a colon',
    answer: summary((all) => ({
      ...all,
      since: String(all.since).replace(/00$/, ':00'),
      until: String(all.until).replace(/00$/, ':00'),
    })),
    differs: ['S13'],
  },
  {
    name: 'the window is read as wall time',
    server: { windowClock: 'wall' },
    differs: ['S33'],
  },
  {
    name: 'the summary has no window',
    answer: summary(({ breakdowns, timezone }) => ({ breakdowns, timezone })),
    differs: ['S13'],
  },
  {
    name: 'the zone is written Europe/Paris',
    answer: summary((all) => ({ ...all, timezone: 'Europe/Paris' })),
    differs: ['S14'],
  },
  {
    name: 'the breakdowns of the summary are in small letters',
    answer: summary((all) => ({
      ...all,
      breakdowns: (all.breakdowns as readonly string[]).map((name) => name.toLowerCase()),
    })),
    differs: ['S08', 'S16'],
  },
  {
    name: 'the breakdowns of the summary are one text',
    answer: summary((all) => ({
      ...all,
      breakdowns: (all.breakdowns as readonly string[]).join(),
    })),
    differs: ['S08', 'S16'],
  },
];

const days: readonly ServiceDamage[] = [
  {
    name: 'a date is written 16/11/2026',
    answer: eachRow(
      (row) => ({ ...row, date: String(row.date).split('-').reverse().join('/') }),
      'DAILY',
    ),
    differs: ['S21'],
  },
  {
    name: 'a date has a time',
    answer: eachRow((row) => ({ ...row, date: `${row.date}T00:00:00` }), 'DAILY'),
    differs: ['S21'],
  },
  { name: 'a day is missing', answer: rows((all) => all.slice(1), 'DAILY'), differs: ['S19'] },
  {
    name: 'a day comes twice',
    answer: rows((all) => [...all, all[0]], 'DAILY'),
    differs: ['S19', 'S21'],
  },
  {
    name: 'the day before is there, too',
    answer: rows((all) => [{ ...all[0], date: '2026-11-15' }, ...all], 'DAILY'),
    differs: ['S19', 'S21'],
  },
  {
    name: 'a total stands below the days',
    answer: rows((all) => [...all, { ...all[0], date: null }], 'DAILY'),
    differs: ['S19', 'S21'],
  },
  {
    name: 'the whole is less than its days',
    answer: report((document) =>
      isTotal(document)
        ? {
            ...document,
            data: (document.data as readonly Row[]).map((row) => ({ ...row, displays: 1 })),
          }
        : document,
    ),
    differs: ['S19'],
  },
  {
    name: 'an hour has no offset',
    answer: eachRow((row) => ({ ...row, hour: String(row.hour).slice(0, 19) }), 'HOURLY'),
    differs: ['S22'],
  },
  {
    name: 'an hour is a number',
    answer: eachRow((row) => ({ ...row, hour: 7 }), 'HOURLY'),
    differs: ['S22'],
  },
  {
    name: 'an hour is missing',
    answer: rows((all) => all.slice(1), 'HOURLY'),
    differs: [],
    unseen: 'no other report of the trials has the hours; run says which are missing',
  },
];

const fields: readonly ServiceDamage[] = [
  {
    name: 'a count is a text',
    answer: eachRow((row) => ({ ...row, clicks: String(row.clicks) })),
    differs: ['S17'],
  },
  {
    name: 'a count has decimals',
    answer: eachRow((row) => ({ ...row, clicks: 0.5 + Number(row.clicks) }), 'DAILY'),
    differs: ['S17', 'S19'],
  },
  { name: 'a count is absent', answer: eachRow((row) => without(row, 'clicks')), differs: ['S17'] },
  {
    name: 'a count is null where it is 0',
    answer: eachRow((row) => ({ ...row, clicks: null })),
    differs: ['S17'],
  },
  {
    name: 'the revenue in dollars is called revenueDollar',
    answer: eachRow((row) => renamed(row, 'valueDollar', 'revenueDollar')),
    differs: ['S18'],
  },
  {
    name: 'fields that were not asked for are absent',
    answer: eachRow((row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    ),
    differs: ['S34'],
  },
  {
    name: 'fields that were not asked for are empty texts',
    answer: eachRow((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ''])),
    ),
    differs: ['S34'],
  },
  {
    name: 'a row has a field more',
    answer: eachRow((row) => ({ ...row, viewability: 0.7 })),
    differs: [],
    unseen: 'the description does not say that there are no further fields',
  },
  {
    name: 'clicks and displays have changed places',
    answer: eachRow((row) => ({ ...row, clicks: row.displays, displays: row.clicks })),
    differs: [],
    unseen: 'nothing outside of the service tells which figure is which',
  },
  {
    name: 'every revenue is in cents',
    answer: eachRow((row) => ({ ...row, revenueEuro: Number(row.revenueEuro) * 100 })),
    differs: [],
    unseen: 'nothing outside of the service tells what a report should come to',
  },
];

const filters: readonly ServiceDamage[] = [
  {
    name: 'a filter by campaign is passed over',
    call: order((body) => without(body, 'campaignId')),
    differs: ['S12'],
  },
  {
    name: 'a filter by campaign leaves nothing',
    call: order((body) => ('campaignId' in body ? { ...body, campaignId: ['99999999'] } : body)),
    differs: ['S12'],
  },
  {
    name: 'a filter by campaign changes the figures',
    answer: rows(
      (all) => (all.length === 1 ? all.map((row) => ({ ...row, displays: 1 })) : all),
      'CAMPAIGN',
    ),
    differs: ['S12'],
  },
  {
    name: 'no campaign has rows',
    answer: rows(() => [], 'CAMPAIGN'),
    differs: [],
    unseen: 'an account may have had none in those days: S12 is not tried',
  },
  {
    name: 'a filter by country is passed over',
    call: order((body) => without(body, 'countryId')),
    differs: [],
    unseen: 'filters are tried by a campaign alone; run says it where the country is a breakdown',
  },
];

const dspDamages: readonly ServiceDamage[] = [
  {
    name: 'the revenue has a decimal point',
    answer: eachRow((row) => ({
      ...row,
      revenueEuro: String(row.revenueEuro).replace(',', '.'),
    })),
    differs: ['S20'],
  },
  {
    name: 'the revenue is a number',
    answer: eachRow((row) => ({
      ...row,
      revenueEuro: Number(String(row.revenueEuro).replace(',', '.')),
    })),
    differs: ['S20'],
  },
  {
    name: 'the revenue in dollars is called valueDollar',
    answer: eachRow((row) => renamed(row, 'revenueDollar', 'valueDollar')),
    differs: ['S17', 'S20'],
  },
  {
    name: 'there is JSON without the Accept header, too',
    call: (call) => ({ ...call, accept: 'application/json' }),
    differs: ['S28'],
  },
  {
    name: 'the zone is passed over',
    call: order((body) => ({ ...body, timezone: 'Europe/Paris' })),
    differs: ['S15'],
  },
  {
    name: 'the zone is stated, and the window is one of Paris',
    answer: summary((all) => ({
      ...all,
      since: String(all.since).replace('+0900', '+0100'),
      until: String(all.until).replace('+0900', '+0100'),
    })),
    differs: ['S15'],
  },
];

const dsp = dspDamages.map((damage): ServiceDamage => {
  return { ...damage, account: 'dsp', name: `DSP: ${damage.name}` };
});

export const serviceDamages: readonly ServiceDamage[] = [
  ...signIn,
  ...lists,
  ...creation,
  ...waiting,
  ...documents,
  ...windows,
  ...days,
  ...fields,
  ...filters,
  ...dsp,
];
