import type { Credentials } from '../api/client.ts';
import type { SignInOrigin } from '../api/refusal.ts';
import type { Encoding } from '../contract/messages.ts';
import { SignInError } from '../errors.ts';
import { defaultAccountName, type Settings } from './resolve.ts';
import { unknownAccount } from './store.ts';

// Who signs in, and with what.

/**
 * What a call of the service needs: where to, and a token or the credentials that get one, or both.
 */
export interface SignIn {
  readonly baseUrl: URL;
  readonly encoding: Encoding;
  readonly token: string | undefined;
  readonly credentials: Credentials | undefined;

  /** What an error says where they are refused. */
  readonly origin?: SignInOrigin;
}

/**
 * What the settings give to sign in with. Throws `SignInError` that says what is missing and how to
 * give it.
 */
export function requireSignIn(settings: Settings, runCommand: PasswordRunner): SignIn {
  const { account, storedAccount, baseUrl, encoding, token } = settings;
  const credentials = credentialsOf(settings, runCommand);
  const { message, hint: hintOfName } = unknownAccount(account.value, settings.stored);
  if (!storedAccount && account.source === 'flag') {
    throw new SignInError(message, { hint: hintOfName });
  }
  if (baseUrl.value && (token.value || credentials)) {
    return {
      baseUrl: baseUrl.value,
      encoding: encoding.value,
      token: token.value,
      credentials,
      origin: originOfSignIn(settings),
    };
  }

  const isNamed = ['env', 'file'].includes(account.source);
  if (!storedAccount && isNamed) throw new SignInError(message, { hint: hintOfName });
  const hint =
    'Sign in with adreport login, set ADREPORT_TOKEN, or try everything without an account with --local.';
  if (!baseUrl.value) {
    throw new SignInError('Not signed in: no account is stored, and no base URL is set.', { hint });
  }
  const loginHint = `Sign in to it: adreport login --account ${account.value}`;
  const noToken = `Not signed in to account “${account.value}”: no token is stored.`;
  throw new SignInError(settings.tokenWithheld ?? noToken, {
    hint: account.source === 'flag' ? loginHint : (hintOnEmail(settings) ?? hint),
  });
}

/** What to do if the environment has an e-mail address, and the address of another's service. */
function hintOnEmail({ email, baseUrl, account }: Settings): string | undefined {
  if (email.source !== 'env' || baseUrl.source !== 'account') return undefined;
  return `Set ADREPORT_BASE_URL to the service of ADREPORT_EMAIL, or use the account: --account ${account.value}`;
}

/** Runs a password command of an account. Throws `SignInError` if it fails. */
export type PasswordRunner = (command: string, account: string) => Promise<string>;

/** The e-mail address and the password of the settings; `undefined` if either is missing. */
function credentialsOf(
  { account, email, password, passwordCommand }: Settings,
  runCommand: PasswordRunner,
): Credentials | undefined {
  if (!email.value) return undefined;
  if (password.value) return { email: email.value, password: password.value };

  const command = passwordCommand.value;
  if (command === undefined) return undefined;
  return { email: email.value, password: () => runCommand(command, account.value) };
}

/** Where a token and a password came from, and what mends each place where it is refused. */
function originOfSignIn(settings: Settings): SignInOrigin {
  const { account, token } = settings;
  const { value: name } = account;
  const login = name === defaultAccountName ? 'adreport login' : `adreport login --account ${name}`;
  const emailHint = hintOnPassword(settings);

  if (token.source === 'env') {
    const tokenHint = `Put a valid token into ${token.from}, or unset it to use what adreport login stores.`;
    return { token: `the token of ${token.from}`, tokenHint, signInHint: emailHint };
  }
  const byFile = account.source === 'file' ? ', which adreport.yaml names' : '';
  return {
    token: `the stored token of account “${name}”${byFile}`,
    tokenHint: `Sign in again with: ${login}`,
    signInHint: emailHint,
  };
}

/** Where a refused password is corrected. */
function hintOnPassword({ account, email, password, passwordCommand }: Settings): string {
  if (!password.value && passwordCommand.value) {
    return `Check what the password command of account “${account.value}” prints.`;
  }
  if (email.source === 'env') return 'Correct ADREPORT_EMAIL and ADREPORT_PASSWORD.';
  return `Correct ADREPORT_PASSWORD, which is for ${email.value} of ${email.from}.`;
}

/**
 * What tells whoever signs in from everybody else: the address that a stored token was had for,
 * which outlives the token, else the token, else the address. It may be a secret.
 */
export function identityOf({ token, email, storedAccount }: Settings): string {
  if (token.source === 'account') return storedAccount?.email ?? token.value ?? '';
  return token.value ?? email.value ?? '';
}

/**
 * What whoever signs in is called: the name of the account, else the e-mail address, else
 * `default`; never a token. What the environment signs in with has no name but that of
 * `ADREPORT_ACCOUNT`.
 */
export function nameOfAccount(settings: Settings): string {
  const { account, email } = settings;
  const hasName = account.value !== defaultAccountName && !isUnnamed(settings);
  return hasName ? account.value : (email.value ?? defaultAccountName);
}

/** Whether the environment signs in, and gives the account no name. */
export function isUnnamed({ account, token, email }: Settings): boolean {
  const signIn = token.value === undefined ? email : token;
  return signIn.source === 'env' && account.source !== 'env';
}
