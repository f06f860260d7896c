import type { ReportRequest } from '../../src/contract/messages.ts';

/** A report request with lists, and with text that JSON, forms and shells each have to escape. */
export const request: ReportRequest = {
  since: 1_417_392_000,
  until: 1_420_070_399,
  metrics: ['displays', 'clicks'],
  breakdowns: ['DAILY', 'CAMPAIGN'],
  filters: { campaignId: ['12', '13'], carrier: ['A&B = "C", é', '100%+'] },
};
