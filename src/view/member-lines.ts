import { describeQuery } from '../query/describe.ts';
import type { Query } from '../query/query.ts';
import type { ReportMember } from '../rows/row-batch.ts';

/**
 * Describes a file's members other than its rows, as lines for people: the request, the report with
 * its key, and each warning. Members of another shape are skipped: another program may have written
 * them.
 */
export function formatMembers(members: readonly ReportMember[]): string[] {
  const lines: string[] = [];
  const request = requestOfMembers(members);
  if (request) lines.push(describeQuery({ filters: {}, ...request }));

  const facts: string[] = [];
  const reportId = readMember(members, 'reportId');
  const fetchedAt = readMember(members, 'fetchedAt');
  const key = textsOf(readMember(members, 'key'));
  if (typeof reportId === 'string') facts.push(`report ${reportId}`);
  if (typeof fetchedAt === 'string') facts.push(`fetched ${fetchedAt}`);
  if (key.length > 0) facts.push(`key ${key.join(', ')}`);
  if (facts.length > 0) lines.push(facts.join('; '));

  for (const warning of warningsOf(members)) lines.push(`Warning: ${warning}`);
  return lines;
}

export function warningsOf(members: readonly ReportMember[]): string[] {
  return textsOf(readMember(members, 'warnings'));
}

/** Request as a file names it. */
type KnownRequest = Pick<Query, 'profile' | 'breakdowns'> & Partial<Pick<Query, 'filters'>>;

/** Returns `undefined` without a request, or with one of another shape. */
export function requestOfMembers(members: readonly ReportMember[]): KnownRequest | undefined {
  const request = readMember(members, 'request');
  return isRequest(request) ? request : undefined;
}

function readMember(members: readonly ReportMember[], wanted: string): unknown {
  const member = members.find(({ name }) => name === wanted);
  return member && JSON.parse(member.json.toString());
}

function isRequest(value: unknown): value is KnownRequest {
  if (typeof value !== 'object' || value === null) return false;
  const request: Partial<KnownRequest> = value;
  const { profile, breakdowns, filters = {} } = request;

  const hasLists = Array.isArray(breakdowns) && typeof filters === 'object' && filters !== null;
  return typeof profile === 'string' && hasLists && Object.values(filters).every(Array.isArray);
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item) => typeof item === 'string');
}
