import type { Profile } from '../contract/vocabulary.ts';

/** Content negotiation (RFC 9110, 12): pure functions of the header and what can be served. */

interface Preference {
  readonly name: string;
  readonly quality: number;
}

/** The members of an `Accept…` header with their `q`. */
function preferencesIn(header = ''): Preference[] {
  return header
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const q = Number(parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1] ?? 1);
      return { name, quality: Number.isFinite(q) ? Math.min(1, Math.max(0, q)) : 0 };
    })
    .filter(({ name }) => name !== '');
}

export type DataFormat = 'json' | 'csv';

/**
 * The form in which a report is delivered, or `undefined` where `Accept` allows neither (`decisions.md` 4).
 * A DSP that does not name JSON gets CSV (`curl` without `-H Accept` sends `*∕*`); a buyer gets JSON unless CSV is preferred.
 */
export function chooseDataFormat(accept: string | undefined, profile: Profile): DataFormat | undefined {
  const byDefault: DataFormat = profile === 'dsp' ? 'csv' : 'json';
  const given = preferencesIn(accept);
  if (given.length === 0) return byDefault;
  const qualityOf = (...names: readonly string[]): number | undefined =>
    names.map((name) => given.find((preference) => preference.name === name)?.quality).find((q) => q !== undefined);
  // `application/vnd.api+json` names JSON too, where nothing more exact does.
  const similar = given.filter(({ name }) => /^[\w.+*-]+\/(json|[\w.-]+\+json)$/.test(name));
  const named =
    qualityOf('application/json', 'application/*') ??
    (similar.length > 0 ? Math.max(...similar.map(({ quality }) => quality)) : undefined);
  const json = named ?? qualityOf('*/*') ?? 0;
  const csv = qualityOf('text/csv', 'text/*', '*/*') ?? 0;
  if (json === 0 && csv === 0) return undefined;
  if (profile === 'dsp') return csv > 0 && (!named || csv > json) ? 'csv' : 'json';
  return csv > json ? 'csv' : 'json';
}

export type Coding = 'gzip' | 'deflate' | 'br' | 'identity';

/** The coding that `Accept-Encoding` likes best; between equals gzip, which costs the least time for its gain. */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  const given = preferencesIn(acceptEncoding);
  const qualityOf = (...names: readonly string[]): number | undefined =>
    given.find(({ name }) => names.includes(name))?.quality ?? given.find(({ name }) => name === '*')?.quality;
  const candidates: readonly (readonly [Coding, number])[] = [
    ['gzip', qualityOf('gzip', 'x-gzip') ?? 0],
    ['br', qualityOf('br') ?? 0],
    ['deflate', qualityOf('deflate') ?? 0],
    // Identity is acceptable unless it is excluded, but nobody's wish unless it is named.
    ['identity', qualityOf('identity') ?? 0.001],
  ];
  const [best = ['identity', 0] as const] = candidates.toSorted(([, a], [, b]) => b - a);
  // Who excludes everything gets the answer as it is, rather than none.
  return best[1] > 0 ? best[0] : 'identity';
}
