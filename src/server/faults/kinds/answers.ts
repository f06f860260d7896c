import { type Answer, jsonAnswer, jsonType } from '../../answer.ts';
import type { ReportEnd } from '../../service/reports.ts';
import { errorIds, ServiceError } from '../../service/service-error.ts';
import { type FaultKind, wholeNumber } from '../fault-kind.ts';

/** Faults by which the service says something else than it would. */

/** The one kind without a name of its own: `503`, `429:retry-after=2`. */
export const status: FaultKind = {
  meaning: 'is what the call is answered with; retry-after=SECONDS adds that header',
  keys: { 'retry-after': wholeNumber },
  effect({ 'retry-after': seconds }, name) {
    const code = Number(name);
    const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    const error = `A fault was asked for: this call is answered with ${code}.`;
    // A status that the service does not use is an inner failure.
    const [error_id] = errorIds[code as keyof typeof errorIds] ?? errorIds[500];
    return { answer: () => jsonAnswer({ response: { error_id, error } }, code, headers) };
  },
};

function answering(meaning: string, answer: Omit<Answer, 'status'>): FaultKind {
  return { meaning, effect: () => ({ answer: () => ({ status: 200, ...answer }) }) };
}

export const garbage = answering('the answer is neither JSON nor UTF-8', {
  type: jsonType,
  // It begins as the service's answers do.
  body: Buffer.from('{"response":{"status":"rea\u0000\u00ff\u00fe}}]', 'latin1'),
});

export const html = answering('the answer is the web page of a captive portal or a proxy', {
  type: 'text/html; charset=utf-8',
  body: '<!doctype html><title>Sign in</title><p>Sign in to use this network.',
});

export const unauthorized: FaultKind = {
  meaning: 'the token dies',
  // A sign-in carries no token that could die.
  reach: ['status', 'buyer', 'download', 'campaigns'],
  // The service itself refuses the token then.
  effect: () => ({ settles: true, before: (revokeToken) => revokeToken() }),
};

export const notDownloadable: FaultKind = {
  meaning: 'the report is ready, and refused with 409 all the same',
  reach: ['download'],
  effect: () => ({
    answer() {
      const headers = { 'retry-after': '1' };
      throw new ServiceError('REPORT_NOT_READY', 'The report is not ready for download.', { headers });
    },
  }),
};

/** A fault that lets a report end otherwise than as `ready`; its `times` counts reports. */
function ending(end: ReportEnd, meaning: string): FaultKind {
  return { meaning, reach: ['status'], effect: () => ({ end }) };
}

export const failed = ending('failed', 'the report ends as failed');
export const expired = ending('expired', 'the report ends as expired');
export const stuck = ending('progress', 'the report stays in progress for ever');
