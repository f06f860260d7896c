import type { Credentials } from '../api/client.ts';
import type { SignInOrigin } from '../api/refusal.ts';
import type { Encoding } from '../contract/messages.ts';
import { SignInError } from '../errors.ts';
import { defaultAccountName, type Settings } from './resolve.ts';
import { unknownAccount } from './store.ts';

/** The address of a service, with a token, credentials, or both. */
export interface SignIn {
  readonly baseUrl: URL;
  readonly encoding: Encoding;
  readonly token: string | undefined;
  readonly credentials: Credentials | undefined;

  /** The source of the sign-in, for errors about a refusal. */
  readonly origin?: SignInOrigin;
}

/**
 * The sign-in of the settings. Throws `SignInError` if something is missing, with how to add it.
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
  const loginHint = `Sign in with: adreport login --account ${account.value}`;
  const noToken = `Not signed in to account “${account.value}”: no token is stored.`;
  throw new SignInError(settings.tokenWithheld ?? noToken, {
    hint: account.source === 'flag' ? loginHint : (hintOnEmail(settings) ?? hint),
  });
}

/** A hint if the e-mail address is from the environment, but the service from a stored account. */
function hintOnEmail({ email, baseUrl, account }: Settings): string | undefined {
  if (email.source !== 'env' || baseUrl.source !== 'account') return undefined;
  return `Set ADREPORT_BASE_URL to the service of ADREPORT_EMAIL, or use the stored account: --account ${account.value}`;
}

/** Runs the password command of an account. Throws `SignInError` if it fails. */
export type PasswordRunner = (command: string, account: string) => Promise<string>;

/** The e-mail address and password of the settings; `undefined` if one is missing. */
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

/** The sources of a token and a password, with hints on how to correct each. */
function originOfSignIn(settings: Settings): SignInOrigin {
  const { account, token } = settings;
  const { value: name } = account;
  const login = name === defaultAccountName ? 'adreport login' : `adreport login --account ${name}`;
  const emailHint = hintOnPassword(settings);

  if (token.source === 'env') {
    const tokenHint = `Set ${token.from} to a valid token, or unset it to use the token stored by adreport login.`;
    return { token: `the token in ${token.from}`, tokenHint, signInHint: emailHint };
  }
  const byFile = account.source === 'file' ? ' (named in adreport.yaml)' : '';
  return {
    token: `the stored token of account “${name}”${byFile}`,
    tokenHint: `Sign in again with: ${login}`,
    signInHint: emailHint,
  };
}

/** A hint on how to correct a refused password. */
function hintOnPassword({ account, email, password, passwordCommand }: Settings): string {
  if (!password.value && passwordCommand.value) {
    return `Check the output of the password command of account “${account.value}”.`;
  }
  if (email.source === 'env') return 'Correct ADREPORT_EMAIL and ADREPORT_PASSWORD.';
  return `Correct ADREPORT_PASSWORD, which is for ${email.value} (from ${email.from}).`;
}

/**
 * Identifies the user: the e-mail address of a stored token, which outlives the token; otherwise
 * the token or the e-mail address. It may be a secret.
 */
export function identityOf({ token, email, storedAccount }: Settings): string {
  if (token.source === 'account') return storedAccount?.email ?? token.value ?? '';
  return token.value ?? email.value ?? '';
}

/**
 * The name of the account, else the e-mail address, else `default`; never a token. A sign-in from
 * the environment is named only by `ADREPORT_ACCOUNT`.
 */
export function nameOfAccount(settings: Settings): string {
  const { account, email } = settings;
  const isChosen = account.source === 'flag' || account.value !== defaultAccountName;
  const hasName = isChosen && !isUnnamed(settings);
  return hasName ? account.value : (email.value ?? defaultAccountName);
}

/** True for a sign-in from the environment without `ADREPORT_ACCOUNT`. */
export function isUnnamed({ account, token, email }: Settings): boolean {
  const signIn = token.value === undefined ? email : token;
  return signIn.source === 'env' && account.source !== 'env';
}
