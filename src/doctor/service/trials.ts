import { hasNextLink, recordIn } from '../../api/answers.ts';
import { type StatementId, statements } from '../../contract/statements.ts';
import { wallTimeOf } from '../../contract/values.ts';
import { isObject, type JsonObject } from '../../text/json-object.ts';
import { describeAnswer, type RawAnswer, reportIdIn } from './calls.ts';
import * as documents from './document-trials.ts';
import { type TrialOutcome, TrialSkipped, type TrialVerdict } from './trial.ts';
import {
  isCampaign,
  isCsvAnswer,
  isIsoWithOffset,
  isRefusal,
  isStatusRecord,
  isSuccess,
  memberOf,
  quoteStatus,
  receivedText,
  sumOf,
  unknownMembersIn,
} from './trial-answers.ts';
import { otherZone } from './trial-reports.ts';
import type { TriedService } from './tried-service.ts';

/** Tries a statement. Throws `TrialSkipped` if that is not possible. */
type Trial = (service: TriedService) => Promise<TrialOutcome>;

/** The trial of each statement, in the order in which they run, which saves calls and reports. */
const trials: Readonly<Record<StatementId, Trial>> = {
  S01: async (service) => {
    const { answer } = await service.signIn();
    const response = memberOf(answer.json, 'response');
    const isHeld = isSuccess(answer) && typeof memberOf(response, 'token') === 'string';
    return isHeld || describeAnswer(answer);
  },
  S02: async (service) => (await service.tokenFinding()) ?? true,
  S03: async (service) => {
    await service.requireToken();
    const answer = await service.callWith(undefined);
    service.refusals.push(answer);
    return answer.status === 401 || describeAnswer(answer);
  },
  S04: async (service) => {
    const token = await service.requireToken();
    const answer = await service.callWith(`Bearer ${token}`);
    return answer.status === 401 || describeAnswer(answer);
  },
  S05: async (service) => {
    const answer = await service.campaigns();
    if (hasNextLink(answer)) return 'the list links to another page';

    const { json } = answer;
    const isList = isSuccess(answer) && Array.isArray(json) && json.every(isCampaign);
    return isList || describeAnswer(answer);
  },
  S06: async (service) => {
    const { json } = await service.campaigns();
    if (!Array.isArray(json) || json.length === 0)
      throw new TrialSkipped('the list of campaigns is empty');

    const dates: unknown[] = [];
    for (const campaign of json) {
      dates.push(memberOf(campaign, 'campaignStartDate'), memberOf(campaign, 'campaignEndDate'));
    }
    const other = dates.findIndex((date) => wallTimeOf(String(date)) === undefined);
    return other === -1 || `a date is ${receivedText(dates[other])}`;
  },
  S23: async (service) => {
    const token = await service.requireToken();
    const answer = await service.orders.statusOfUnknown(token);
    service.refusals.push(answer);
    return answer.status === 404 || describeAnswer(answer);
  },
  S07: async (service) => (await service.creation()).finding ?? true,
  S35: async (service) => {
    const id = await service.daysId();
    const { answer } = await service.creation();
    const response = memberOf(answer.json, 'response');
    const isHeld = isStatusRecord(answer.json) && memberOf(response, 'report_id') === id;
    return isHeld || describeAnswer(answer);
  },
  S09: async (service) => {
    const answer = await service.firstStatus();
    return (isSuccess(answer) && isStatusRecord(answer.json)) || describeAnswer(answer);
  },
  S32: async (service) => {
    const { early, words } = await service.waiting();
    if (!early) throw new TrialSkipped('the report was ready immediately');

    const becameReady = isSuccess(early) && words[1] === 'ready';
    if (becameReady) {
      throw new TrialSkipped('the report became ready before the early download');
    }
    return early.status === 409 || describeAnswer(early);
  },
  S11: async (service) => {
    const answer = await service.daysAnswer();
    const hasRows = Array.isArray(memberOf(answer.json, 'data'));
    const hasSummary = isObject(memberOf(answer.json, 'summary'));
    return (isSuccess(answer) && hasRows && hasSummary) || describeAnswer(answer);
  },
  S36: async (service) => {
    await service.days();
    const answer = await service.daysAnswer();
    const members = unknownMembersIn(answer);
    if (answer.status !== 200) members.push(`status ${answer.status}`);
    if (hasNextLink(answer)) members.push('a link to another page');
    return members.length === 0 || `the answer also has ${members.join(', ')}`;
  },
  S31: async (service) => {
    await service.days();
    const { text } = await service.daysAnswer();
    const again = await service.orders.download(await service.daysId());
    return again.text === text || describeAnswer(again);
  },
  S13: documents.tryWindowForm,
  S33: documents.tryWindowClock,
  S16: documents.tryBreakdowns,
  S14: documents.tryTimezone,
  S17: documents.tryMetrics,
  S18: documents.tryDollars,
  S20: documents.tryMoneyTexts,
  S21: documents.tryDates,
  S34: documents.tryNulls,
  S19: async (service) => {
    const whole = await service.order('whole', 'the report as one row');
    const { rows } = await service.daysWithRows();

    // Other statements cover fields without numbers.
    const fields = service.metricFields().filter((field) => sumOf(rows, field) !== undefined);
    if (fields.length === 0) throw new TrialSkipped('the rows have no numbers');
    return differencesIn(fields, { 'by day': rows, 'in total': whole.rows });
  },
  S08: async (service) => {
    const { formAnswer, acceptsForm, document } = await service.hours();
    if (!acceptsForm) return describeAnswer(formAnswer);

    const echoed = document.summary.breakdowns;
    const isRead = Array.isArray(echoed) && echoed.includes('HOURLY') && echoed.includes('FORMAT');
    return isRead || 'a breakdown of the form is missing in the summary';
  },
  S22: async (service) => {
    const { document } = await service.hours();
    if (document.rows.length === 0) throw new TrialSkipped('that day has no rows');

    const hours = document.rows.map(({ hour }) => hour);
    const other = hours.findIndex((hour) => !isIsoWithOffset(String(hour)));
    return other === -1 || `an hour is ${receivedText(hours[other])}`;
  },
  S30: async (service) => {
    await service.days();
    const answer = await service.orders.create(service.requestOf('direct'));
    const isData = isSuccess(answer) && Array.isArray(memberOf(answer.json, 'data'));
    return (isData && reportIdIn(answer) === undefined) || describeAnswer(answer);
  },
  S12: async (service) => {
    const all = await service.order('campaigns', 'the report by CAMPAIGN');
    const row = all.rows.find(({ campaignId }) => /^\d+$/.test(String(campaignId)));
    if (!row) throw new TrialSkipped('no campaign has rows in those days');

    const wantedId = String(row.campaignId);
    const filters = { campaignId: [wantedId] };
    const one = await service.order('oneCampaign', 'the report of one campaign', filters);
    const isAlone = one.rows.every(({ campaignId }) => String(campaignId) === wantedId);
    if (!isAlone) return 'the report has other campaigns too';

    const ofCampaign = all.rows.filter(({ campaignId }) => String(campaignId) === wantedId);
    if (one.rows.length === 0) return 'the campaign has no rows with the filter';
    const fields = service.metricFields();
    return differencesIn(fields, { 'with the filter': one.rows, 'without it': ofCampaign });
  },
  S29: async (service) => {
    await service.days();
    const request = service.requestOf('advertiser');
    const answer = await service.orders.create(request, { expectsRefusal: true });
    if (reportIdIn(answer) !== undefined) {
      throw new TrialSkipped(
        'this account can filter by advertiserId, so it seems to be an administrator’s',
      );
    }
    service.refusals.push(answer);
    return isRefusal(answer) || describeAnswer(answer);
  },
  S28: async (service) => {
    await service.days();
    const created = await service.orders.create(service.requestOf('csv'), { accept: null });
    const id = reportIdIn(created);
    if (id === undefined) return isCsvAnswer(created) || describeAnswer(created);

    await service.orders.waitUntilOver(id, 'the report as CSV');
    const answer = await service.orders.downloadReady(id, null);
    return isCsvAnswer(answer) || describeAnswer(answer);
  },
  S15: async (service) => {
    const { summary } = await service.order('zone', `the report in the zone ${otherZone}`);
    if (summary.timezone !== otherZone) {
      return `timezone in the summary is ${receivedText(summary.timezone)}`;
    }
    const isInZone = /\+09:?00$/.test(String(summary.since));
    return isInZone || 'the window in the summary is in a different zone';
  },
  S24: async (service) => outcomeOfRefusal(await service.orderInvalid('twoTimes')),
  S26: async (service) => {
    const more = { campaingId: ['1'] };
    return outcomeOfRefusal(await service.orderInvalid('unknownParameter', more));
  },
  S27: async (service) => outcomeOfRefusal(await service.orderInvalid('backwards')),

  // Needs the refusals of all trials above. Requests that were not refused differ in those.
  S25: async (service) => {
    await service.requireToken();
    const other = service.refusals.find(({ status, json }) => {
      const isError = status >= 500 || recordIn(json).isError;
      return isError && (status < 400 || status > 499);
    });
    return other === undefined || describeAnswer(other);
  },

  // Last, because every report adds to the statuses.
  S10: async (service) => {
    await service.daysId();
    if (service.orders.statusDifference !== undefined) return service.orders.statusDifference;

    const { words } = await service.waiting();
    const before = words.slice(0, -1);
    const isHeld = words.at(-1) === 'ready' && before.every((word) => word === 'progress');
    const distinctWords = [...new Set(words)].map(quoteStatus);
    return isHeld || `the status calls reported ${distinctWords.join(', ')}`;
  },
};

/** Compares the sums of fields in two lists of rows; the keys of `lists` name them in the text. */
function differencesIn(
  fields: readonly string[],
  lists: Readonly<Record<string, readonly JsonObject[]>>,
): TrialOutcome {
  const sentences: string[] = [];

  for (const field of fields) {
    const sums = Object.entries(lists).map(([name, rows]) => ({ name, sum: sumOf(rows, field) }));
    if (new Set(sums.map(({ sum }) => sum)).size === 1) continue;
    const parts = sums.map(({ name, sum }) => `${sum ?? 'no numbers'} ${name}`);
    sentences.push(`${field}: ${parts.join(', ')}`);
  }
  return sentences.length === 0 || sentences.join('; ');
}

function outcomeOfRefusal(answer: RawAnswer): TrialOutcome {
  return isRefusal(answer) || describeAnswer(answer);
}

/**
 * Tries every statement of the profile, and adds each verdict to `verdicts` immediately. Throws
 * `SignInError` if the service accepts the token in no way, and `UnreachableError`.
 */
export async function tryStatements(
  service: TriedService,
  verdicts: Map<StatementId, TrialVerdict>,
): Promise<void> {
  const { profile } = service.settings;
  const ids = new Set(
    statements.filter(({ profiles }) => profiles.includes(profile)).map(({ id }) => id),
  );
  for (const [id, trial] of Object.entries(trials) as [StatementId, Trial][]) {
    if (ids.has(id)) verdicts.set(id, await verdictOf(trial, service));
  }
}

async function verdictOf(trial: Trial, service: TriedService): Promise<TrialVerdict> {
  try {
    const outcome = await trial(service);
    return outcome === true
      ? { result: 'holds', said: null }
      : { result: 'differs', said: outcome };
  } catch (error) {
    if (!(error instanceof TrialSkipped)) throw error;
    return { result: 'not tried', said: error.message };
  }
}
