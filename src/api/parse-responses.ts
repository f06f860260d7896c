import {
  type AdUnit,
  type CampaignRecord,
  knownOutcomeOf,
  type ReportOutcome,
} from '../contract/messages.ts';
import { isObject } from '../text/json-object.ts';
import { truncate } from '../text/printable.ts';

// Reads the service's documents. The accepted shapes are those in `decisions.md` 1 to 6.

/**
 * Parses JSON, or returns `undefined` if the text is not JSON. Integers of 16 or more digits become
 * strings, because a rounded ID is a different ID.
 */
export function tryParseJson(text: string): unknown {
  let isInString = false;
  const exact = text.replace(/\\[\s\S]|"|-?\d[-+.\deE]*/g, (token) => {
    if (token === '"') isInString = !isInString;
    return !isInString && /^\d{16,}$/.test(token) ? `"${token}"` : token;
  });
  try {
    return JSON.parse(exact);
  } catch {
    return undefined;
  }
}

type Place = 'response' | 'data' | 'document';

/** A response field: its possible names, and the objects to search, in order. */
interface Member {
  readonly names: readonly string[];
  readonly places: readonly Place[];
}

const anywhere: readonly Place[] = ['response', 'data', 'document'];
const inRecord: readonly Place[] = ['response', 'document'];

/** All fields that are read. To support another response shape, add a name or a path here. */
const members = {
  reportId: { names: ['report_id', 'reportId', 'id'], places: anywhere },
  token: { names: ['token', 'access_token'], places: anywhere },
  campaigns: { names: ['campaigns', 'data'], places: anywhere },
  status: { names: ['status'], places: inRecord },
  message: { names: ['message'], places: inRecord },
  error: { names: ['error'], places: inRecord },
  errorId: { names: ['error_id'], places: inRecord },
  errors: { names: ['details', 'errors'], places: inRecord },
} as const satisfies Readonly<Record<string, Member>>;

/** Returns the first value that `read` accepts. */
function findMember<Value>(
  document: unknown,
  member: keyof typeof members,
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  const { names, places }: Member = members[member];
  for (const place of places) {
    const holder = place === 'document' ? document : ownMember(document, place);
    for (const name of names) {
      const value = read(ownMember(holder, name));
      if (value !== undefined) return value;
    }
  }
  return undefined;
}

function ownMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns a non-empty trimmed string, or a number as a string. */
function parseScalar(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
}

function parseList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Reads the response to a create call, which may be a bare string or number. */
export function findReportId(document: unknown): string | undefined {
  return findMember(document, 'reportId', parseScalar) ?? parseScalar(document);
}

/** Keys that occur in records but not in report rows. */
const recordNames = ['report_id', 'reportId', 'error', 'error_id'];

/** Whether a response is a list of rows, as opposed to a record with a report ID or an error. */
export function isReportData(document: unknown): boolean {
  const rows = ownMember(document, 'data');
  return Array.isArray(rows) && findReportId(document) === undefined && areRows(rows);
}

/** Whether a response contains rows, even along with a report ID. */
export function containsRows(document: unknown): boolean {
  const rows = ownMember(document, 'data');
  return Array.isArray(rows) && rows.length > 0 && areRows(rows);
}

function areRows(items: readonly unknown[]): boolean {
  return items.every((row) => isObject(row) && !recordNames.some((name) => name in row));
}

/** Reads the response to a sign-in, which may be a bare string of 16 to 512 characters. */
export function findToken(document: unknown): string | undefined {
  if (typeof document !== 'string') return findMember(document, 'token', parseScalar);
  const text = document.trim();
  return /^[\w.~+/=-]{16,512}$/.test(text) ? text : undefined;
}

/**
 * Finds the campaign list, which is the response itself or one of its fields, or returns
 * `undefined` if there is none. Missing strings and lists become empty.
 */
export function findCampaigns(document: unknown): CampaignRecord[] | undefined {
  const list = parseList(document) ?? findMember(document, 'campaigns', parseList);
  if (!list) return undefined;

  const campaigns = list.map(toCampaignRecord);
  return campaigns.every(({ campaignId }) => campaignId !== '') ? campaigns : undefined;
}

function toCampaignRecord(item: unknown): CampaignRecord {
  const field = (name: string): string => parseScalar(ownMember(item, name)) ?? '';
  const adunits = parseList(ownMember(item, 'adunits')) ?? [];
  return {
    advertiserId: field('advertiserId'),
    advertiserName: field('advertiserName'),
    campaignId: field('campaignId'),
    campaignName: field('campaignName'),
    campaignStartDate: field('campaignStartDate'),
    campaignEndDate: field('campaignEndDate'),
    adunits: adunits.map(toAdUnit),
  };
}

function toAdUnit(item: unknown): AdUnit {
  return {
    adunitName: parseScalar(ownMember(item, 'adunitName')) ?? '',
    adunitId: parseScalar(ownMember(item, 'adunitId')) ?? '',
  };
}

export interface ServiceRecord {
  /** Error code of the service, such as `UNKNOWN_REPORT`. */
  readonly errorId: string | undefined;
  readonly message: string | undefined;

  /** One line per error, if the response lists them. */
  readonly errorLines: readonly string[];

  /** Status in lower case, or empty. */
  readonly status: string;

  /** Meaning of the status, or `undefined` if the status is unknown. */
  readonly outcome: ReportOutcome | undefined;

  /** Whether the response is an error. A `message` alone does not make it an error. */
  readonly isError: boolean;

  /** Why the response has no report, if it says so. */
  readonly reportState: 'progress' | 'failed' | undefined;
}

/**
 * Reads the report state and the error of a response (`decisions.md` 3 and 6). Strings are
 * shortened to 500 characters.
 */
export function parseServiceRecord(document: unknown): ServiceRecord {
  const errors = parseErrors(document);
  const errorId = findMember(document, 'errorId', parseScalar);
  const error =
    findMember(document, 'error', parseScalar) ?? findMember(document, 'error', parseMessage);
  const reason = error ?? errors[0];
  const message = reason ?? findMember(document, 'message', parseScalar) ?? parseScalar(document);
  const word = findMember(document, 'status', parseScalar) ?? '';
  // A number repeats the HTTP status.
  const status = /\p{L}/u.test(word) ? truncate(word).toLowerCase() : '';
  const outcome = knownOutcomeOf(status);
  return {
    errorId: errorId && truncate(errorId),
    message: message && truncate(message),
    errorLines: truncate(errors.join('\n')).split('\n'),
    status,
    outcome,
    isError: errorId !== undefined || (reason !== undefined && reason !== '0'),
    reportState: reportStateFor(errorId, outcome),
  };
}

function reportStateFor(
  errorId: string | undefined,
  outcome: ReportOutcome | undefined,
): ServiceRecord['reportState'] {
  if (errorId === 'REPORT_NOT_READY') return 'progress';
  if (errorId === 'REPORT_FAILED' || errorId === 'REPORT_EXPIRED') return 'failed';
  return outcome === 'ready' ? undefined : outcome;
}

/** Whether a sign-in was refused, even if the response contains a token. */
export function refusesSignIn({ isError, status, outcome }: ServiceRecord): boolean {
  return isError || (status !== '' && status !== 'ok' && outcome !== 'ready');
}

/** Lists errors that are strings, or objects with a parameter and a problem or message. */
function parseErrors(document: unknown): readonly string[] {
  const lines: string[] = [];
  for (const item of findMember(document, 'errors', parseList) ?? []) {
    const parameter = parseScalar(ownMember(item, 'parameter'));
    const problem =
      parseScalar(item) ?? parseScalar(ownMember(item, 'problem')) ?? parseMessage(item);
    if (problem === undefined) continue;
    lines.push(parameter === undefined ? problem : `${parameter}: ${problem}`);
  }
  return lines;
}

function parseMessage(value: unknown): string | undefined {
  return parseScalar(ownMember(value, 'message'));
}
