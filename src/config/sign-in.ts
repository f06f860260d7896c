import { SignInError } from '../errors.ts';
import type { Settings } from './settings.ts';
import { type StoredSettings, unknownAccount } from './stored-settings.ts';

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
  if (!storedAccount && isNamed) throw new SignInError(...unknownAccount(account.value, stored));
  if (!baseUrl.value) {
    throw new SignInError('Not signed in: no account is stored, and no base URL is set.', {
      hint: 'Sign in with adreport login, or try everything without an account with --local.',
    });
  }
  throw new SignInError(settings.tokenWithheld ?? `Not signed in to account “${account.value}”: no token is stored.`, {
    hint: 'Sign in with adreport login, or set ADREPORT_TOKEN.',
  });
}
