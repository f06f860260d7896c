import type { Profile } from '../../contract/vocabulary.ts';

/** Content negotiation by the `Accept` and `Accept-Encoding` headers. */

/** Content codings, best first. */
const codings = ['gzip', 'br', 'deflate'] as const;
export type Coding = (typeof codings)[number];

/**
 * Chooses the format of a report, or returns `undefined` if `Accept` allows none (`decisions.md`
 * 4). A buyer gets JSON unless `Accept` prefers CSV. A DSP gets CSV unless `Accept` names JSON.
 */
export function chooseDataFormat(
  accept: string | undefined,
  profile: Profile,
): 'json' | 'csv' | undefined {
  const qualities = parsePreferences(accept);
  if (qualities.size === 0) return profile === 'dsp' ? 'csv' : 'json';

  const qualityOfAny = qualities.get('*/*');
  const qualityOfNamedJson =
    qualities.get('application/json') ??
    qualities.get('application/*') ??
    findSimilarJsonQuality(qualities);
  const json = qualityOfNamedJson ?? qualityOfAny ?? 0;
  const csv = qualities.get('text/csv') ?? qualities.get('text/*') ?? qualityOfAny ?? 0;
  if (json === 0 && csv === 0) return undefined;

  // curl sends `*∕*` by default, which does not name JSON.
  if (profile === 'dsp' && qualityOfNamedJson === undefined && csv > 0) return 'csv';
  return csv > json ? 'csv' : 'json';
}

/**
 * Chooses a coding that `Accept-Encoding` allows. Returns `undefined` if there is none or the
 * client prefers `identity`.
 */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  const qualities = parsePreferences(acceptEncoding);
  const qualityOfIdentity = qualities.get('identity') ?? 0;

  return codings.find((coding) => {
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0;
    return quality > 0 && quality >= qualityOfIdentity;
  });
}

/**
 * Returns the quality, from 0 to 1, of each member of an `Accept…` header, in lower case (RFC 9110,
 * 12).
 */
function parsePreferences(header = ''): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();

  for (const member of header.toLowerCase().split(',')) {
    const [name = ''] = member.split(';', 1);
    const [, quality = '1'] = /;\s*q\s*=([^;]*)/.exec(member) ?? [];
    // An invalid quality is 0.
    if (name.trim() !== '') qualities.set(name.trim(), Number(quality) || 0);
  }

  return qualities;
}

/** Returns the quality of another name for JSON, such as `application/vnd.api+json` or `*∕json`. */
function findSimilarJsonQuality(qualities: ReadonlyMap<string, number>): number | undefined {
  for (const [name, quality] of qualities) {
    if (/\/(json|[\w.-]+\+json)$/.test(name)) return quality;
  }
  return undefined;
}
