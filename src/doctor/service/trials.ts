import { hasNextLink, recordIn } from '../../api/answers.ts';
import { type StatementId, statements } from '../../contract/statements.ts';
import { wallTimeOf } from '../../contract/values.ts';
import { isObject, type JsonObject } from '../../text/json-object.ts';
import { describeAnswer, type RawAnswer, reportIdIn } from './calls.ts';
import * as documents from './document-trials.ts';
import { type TrialOutcome, TrialStopped, type TrialVerdict } from './trial.ts';
import {
  isCampaign,
  isCsvAnswer,
  isIsoWithOffset,
  isRefusal,
  isStatusRecord,
  isSuccess,
  memberOf,
  membersBesideRows,
  quoteStatus,
  receivedText,
  sumOf,
} from './trial-answers.ts';
import { otherZone } from './trial-reports.ts';
import type { TriedService } from './tried-service.ts';

/** Tries a statement. Throws `TrialStopped` where it cannot be tried. */
type Trial = (service: TriedService) => Promise<TrialOutcome>;

/**
 * The trial of each statement, in the order in which they are made: a report is asked for early
 * before it is waited for.
 */
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
    if (hasNextLink(answer)) return 'it links to a further page';

    const { json } = answer;
    const isList = isSuccess(answer) && Array.isArray(json) && json.every(isCampaign);
    return isList || describeAnswer(answer);
  },
  S06: async (service) => {
    const { json } = await service.campaigns();
    if (!Array.isArray(json) || json.length === 0) throw new TrialStopped('no campaign was listed');

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
    const id = await service.idOfDays();
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
    if (!early) throw new TrialStopped('the report was ready at once');

    const wasReadyMeanwhile = isSuccess(early) && words[1] === 'ready';
    if (wasReadyMeanwhile) {
      throw new TrialStopped('the report was ready before it could be asked for');
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
    const members = membersBesideRows(answer);
    if (answer.status !== 200) members.push(`status ${answer.status}`);
    if (hasNextLink(answer)) members.push('a link to a further page');
    return members.length === 0 || `beside the rows: ${members.join(', ')}`;
  },
  S31: async (service) => {
    await service.days();
    const { text } = await service.daysAnswer();
    const again = await service.orders.download(await service.idOfDays());
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

    // A field without numbers is told by the statements on fields.
    const fields = service.metricFields().filter((field) => sumOf(rows, field) !== undefined);
    if (fields.length === 0) throw new TrialStopped('the rows have no numbers');
    return differencesIn(fields, { 'the days': rows, 'the whole': whole.rows });
  },
  S08: async (service) => {
    const { asked, isForm, document } = await service.hours();
    if (!isForm) return describeAnswer(asked);

    const echoed = document.summary.breakdowns;
    const isRead = Array.isArray(echoed) && echoed.includes('HOURLY') && echoed.includes('FORMAT');
    return isRead || 'the summary lacks a breakdown of the form';
  },
  S22: async (service) => {
    const { document } = await service.hours();
    if (document.rows.length === 0) throw new TrialStopped('there are no rows in that day');

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
    if (!row) throw new TrialStopped('no campaign has rows in those days');

    const wantedId = String(row.campaignId);
    const filters = { campaignId: [wantedId] };
    const one = await service.order('oneCampaign', 'the report of one campaign', filters);
    const isAlone = one.rows.every(({ campaignId }) => String(campaignId) === wantedId);
    if (!isAlone) return 'other campaigns came, too';

    const ofCampaign = all.rows.filter(({ campaignId }) => String(campaignId) === wantedId);
    if (one.rows.length === 0) return 'with the filter the campaign has no rows';
    const fields = service.metricFields();
    return differencesIn(fields, { 'with the filter': one.rows, 'without it': ofCampaign });
  },
  S29: async (service) => {
    await service.days();
    const request = service.requestOf('advertiser');
    const answer = await service.orders.create(request, { isMeantToFail: true });
    if (reportIdIn(answer) !== undefined) {
      throw new TrialStopped('the account may filter by advertiserId, as an administrator may');
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
      return `the summary has ${receivedText(summary.timezone)} for timezone`;
    }
    const isMadeSo = /\+09:?00$/.test(String(summary.since));
    return isMadeSo || 'the window of the summary is in another zone';
  },
  S24: async (service) => outcomeOfRefusal(await service.askForRefused('twoTimes')),
  S26: async (service) => {
    const more = { campaingId: ['1'] };
    return outcomeOfRefusal(await service.askForRefused('unknownParameter', more));
  },
  S27: async (service) => outcomeOfRefusal(await service.askForRefused('backwards')),

  // A refusal tells itself by its status; what was meant to be refused and was not is told by its
  // own trial.
  S25: async (service) => {
    await service.requireToken();
    const other = service.refusals.find(({ status, json }) => {
      const isError = status >= 500 || recordIn(json).isError;
      return isError && (status < 400 || status > 499);
    });
    return other === undefined || describeAnswer(other);
  },

  // Each report says something of it.
  S10: async (service) => {
    await service.idOfDays();
    if (service.orders.statusDifference !== undefined) return service.orders.statusDifference;

    const { words } = await service.waiting();
    const before = words.slice(0, -1);
    const isHeld = words.at(-1) === 'ready' && before.every((word) => word === 'progress');
    const distinctWords = [...new Set(words)].map(quoteStatus);
    return isHeld || `it says ${distinctWords.join(', ')}`;
  },
};

/** The sums in which two lists of rows differ, by what the lists are called. */
function differencesIn(
  fields: readonly string[],
  lists: Readonly<Record<string, readonly JsonObject[]>>,
): TrialOutcome {
  const sentences: string[] = [];

  for (const field of fields) {
    const sums = Object.entries(lists).map(([name, rows]) => ({ name, sum: sumOf(rows, field) }));
    if (new Set(sums.map(({ sum }) => sum)).size === 1) continue;
    const parts = sums.map(({ name, sum }) => `${sum ?? 'no number'} ${name}`);
    sentences.push(`${field}: ${parts.join(', ')}`);
  }
  return sentences.length === 0 || sentences.join('; ');
}

function outcomeOfRefusal(answer: RawAnswer): TrialOutcome {
  return isRefusal(answer) || describeAnswer(answer);
}

/**
 * Tries every statement of the profile on the service.
 * @param verdicts takes up what became of each, as soon as it is there
 * @throws SignInError where the service takes the token in no form, and UnreachableError
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
    if (!(error instanceof TrialStopped)) throw error;
    return { result: 'not tried', said: error.message };
  }
}
