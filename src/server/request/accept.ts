import type { Profile } from '../../contract/vocabulary.ts';

/**
 * What a client says about the answer that it would like, in its `Accept` and `Accept-Encoding`
 * headers.
 */

/** The forms in which a report can be delivered. */
export type DataFormat = 'json' | 'csv';

/**
 * The codings in which an answer can be compressed, those that cost the least time for their gain
 * first.
 */
const codings = ['gzip', 'br', 'deflate'] as const;
export type Coding = (typeof codings)[number];

/**
 * The form in which a report is delivered, or `undefined` where `Accept` allows neither
 * (`decisions.md` 4). A buyer gets JSON unless CSV is preferred; a DSP gets CSV unless JSON is
 * named.
 */
export function chooseDataFormat(
  accept: string | undefined,
  profile: Profile,
): DataFormat | undefined {
  const qualities = readPreferences(accept);
  if (qualities.size === 0) return profile === 'dsp' ? 'csv' : 'json';

  const qualityOfAny = qualities.get('*/*');
  const qualityOfNamedJson =
    qualities.get('application/json') ??
    qualities.get('application/*') ??
    qualityOfSimilarJson(qualities);
  const json = qualityOfNamedJson ?? qualityOfAny ?? 0;
  const csv = qualities.get('text/csv') ?? qualities.get('text/*') ?? qualityOfAny ?? 0;
  if (json === 0 && csv === 0) return undefined;

  // `curl` without `-H Accept` sends `*∕*`, which does not name JSON.
  if (profile === 'dsp' && qualityOfNamedJson === undefined && csv > 0) return 'csv';
  return csv > json ? 'csv' : 'json';
}

/**
 * A coding that `Accept-Encoding` allows, or `undefined` where the body goes as it is. A client
 * that names the body as it is (`identity`), and likes no coding better, gets it so.
 */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  const qualities = readPreferences(acceptEncoding);
  const qualityOfIdentity = qualities.get('identity') ?? 0;

  return codings.find((coding) => {
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0;
    return quality > 0 && quality >= qualityOfIdentity;
  });
}

/**
 * The members of an `Accept…` header in lower case, each with its quality from 0 to 1 (RFC 9110,
 * 12).
 */
function readPreferences(header = ''): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();

  for (const member of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = member.split(';');
    if (name.trim() !== '') qualities.set(name.trim(), qualityIn(parameters));
  }

  return qualities;
}

/** The quality that the parameters of a member give it; 0 where it cannot be read. */
function qualityIn(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [key = '', value = '1'] = parameter.split('=');
    if (key.trim() !== 'q') continue;

    const quality = Number(value) || 0;
    return Math.min(1, Math.max(0, quality));
  }

  return 1;
}

/** `application/vnd.api+json` and `*∕json` name JSON too, where nothing more exact does. */
function qualityOfSimilarJson(qualities: ReadonlyMap<string, number>): number | undefined {
  for (const [name, quality] of qualities) {
    if (/\/(json|[\w.-]+\+json)$/.test(name)) return quality;
  }
  return undefined;
}
