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

/** A coding that `Accept-Encoding` allows: gzip before the others, because it costs the least time for its gain. */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  const given = preferencesIn(acceptEncoding);
  const qualityOf = (name: string): number | undefined =>
    given.find((preference) => preference.name.replace('x-', '') === name)?.quality;
  const isAllowed = (name: Coding): boolean => (qualityOf(name) ?? qualityOf('*') ?? 0) > 0;
  const known: readonly Coding[] = ['gzip', 'br', 'deflate'];
  // Who names the body as it is, and likes nothing better, gets it so.
  const identity = qualityOf('identity') ?? 0;
  return known.find((name) => isAllowed(name) && (qualityOf(name) ?? 0.5) >= identity) ?? 'identity';
}
