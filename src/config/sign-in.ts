import { nearest } from '../contract/nearest.ts';
import { SignInError } from '../errors.ts';
import type { Settings } from './settings.ts';
import type { StoredSettings } from './stored-settings.ts';

/** What a call of the service needs: where to, and a token or the credentials that get one, or both. */
export interface SignIn {
  readonly baseUrl: URL;
  readonly token: string | undefined;
  readonly credentials: { readonly email: string; readonly password: string } | undefined;
}

/** What the settings give to sign in with. Throws `SignInError` that says what is missing and how to give it. */
export function requireSignIn(settings: Settings, stored: StoredSettings): SignIn {
  const { account, storedAccount, baseUrl, token, email, password } = settings;
  const credentials = email.value && password.value ? { email: email.value, password: password.value } : undefined;
  if (baseUrl.value && (token.value || credentials)) return { baseUrl: baseUrl.value, token: token.value, credentials };

  const isNamed = ['flag', 'env', 'file'].includes(account.source);
  if (!storedAccount && isNamed) throw unknownAccount(account.value, Object.keys(stored.accounts));
  if (!baseUrl.value) {
    throw new SignInError('Not signed in: no account is stored, and no base URL is set.', {
      hint: 'Sign in with adreport login, or try everything without an account with --local.',
    });
  }
  throw new SignInError(settings.tokenWithheld ?? `Not signed in to account "${account.value}": no token is stored.`, {
    hint: 'Sign in with adreport login, or set ADREPORT_TOKEN.',
  });
}

function unknownAccount(name: string, known: readonly string[]): SignInError {
  const guess = nearest(name, known);
  return new SignInError(
    `No account "${name}" is stored${known.length > 0 ? `; there are ${known.join(', ')}` : ''}.`,
    {
      hint: guess ? `Did you mean ${guess}?` : `Sign in to it: adreport login --account ${name}`,
    },
  );
}
