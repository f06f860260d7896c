import type { Profile } from '../../contract/vocabulary.ts';

/** Content negotiation (RFC 9110, 12): pure functions of the header and what can be served. */

interface Preference {
  readonly name: string;
  readonly quality: number;
}

/** The members of an `Accept…` header with their `q`, as they stand. */
function preferences(header: string): Preference[] {
  return header
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const q = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1];
      const quality = q === undefined ? 1 : Number(q);
      return { name, quality: Number.isFinite(quality) ? Math.min(1, Math.max(0, quality)) : 0 };
    })
    .filter(({ name }) => name !== '');
}

/** The quality that a header gives a media type: that of its most specific range. */
function qualityOf(type: string, given: readonly Preference[]): number | undefined {
  const [main] = type.split('/');
  for (const range of [type, `${main}/*`, '*/*']) {
    const found = given.find(({ name }) => name === range);
    if (found) return found.quality;
  }
  return undefined;
}

export type DataFormat = 'json' | 'csv';

/**
 * The form in which a report is delivered, or `undefined` where `Accept` allows neither (`decisions.md` 4).
 * A DSP that does not name JSON gets CSV (`curl` without `-H Accept` sends `*∕*`); a buyer gets JSON unless CSV is preferred.
 */
export function chooseDataFormat(accept: string | undefined, profile: Profile): DataFormat | undefined {
  const byDefault: DataFormat = profile === 'dsp' ? 'csv' : 'json';
  const given = preferences(accept ?? '');
  if (given.length === 0) return byDefault;
  const json = jsonQuality(given);
  const csv = qualityOf('text/csv', given) ?? 0;
  const named = given.some(({ name }) => name !== '*/*' && namesJson(name));
  if (profile === 'dsp' && named && json > 0 && json >= csv) return 'json';
  if (profile === 'dsp' && csv > 0) return 'csv';
  if (json === 0 && csv === 0) return undefined;
  if (json === csv) return byDefault;
  return json > csv ? 'json' : 'csv';
}

function namesJson(name: string): boolean {
  return name === 'application/*' || /^[\w.+*-]+\/(json|[\w.-]+\+json)$/.test(name);
}

function jsonQuality(given: readonly Preference[]): number {
  const exact = qualityOf(
    'application/json',
    given.filter(({ name }) => name !== '*/*'),
  );
  if (exact !== undefined) return exact;
  const similar = given.filter(({ name }) => namesJson(name)).map(({ quality }) => quality);
  return similar.length > 0 ? Math.max(...similar) : (qualityOf('application/json', given) ?? 0);
}

export type Coding = 'gzip' | 'deflate' | 'br' | 'identity';

/** The coding that `Accept-Encoding` likes best; between equals gzip, which costs the least time for its gain. */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  const given = preferences(acceptEncoding ?? '');
  if (given.length === 0) return 'identity';
  const any = given.find(({ name }) => name === '*')?.quality;
  const quality = (coding: Coding): number => {
    const own = given.find(({ name }) => name === coding || (coding === 'gzip' && name === 'x-gzip'))?.quality;
    // Identity is acceptable unless it is excluded by name or by `*;q=0`, but nobody's wish unless it is named.
    return own ?? any ?? (coding === 'identity' ? 0.001 : 0);
  };
  const order: readonly Coding[] = ['gzip', 'br', 'deflate', 'identity'];
  const [best = 'identity'] = order.toSorted((a, b) => quality(b) - quality(a));
  // Who excludes everything gets the answer as it is, rather than none.
  return quality(best) > 0 ? best : 'identity';
}
