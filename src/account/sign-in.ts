import { exampleBaseUrl } from '../api/base-url.ts';
import type { Credentials } from '../api/client.ts';
import type { SignInOrigin } from '../api/refusal.ts';
import type { Encoding } from '../contract/messages.ts';
import { type AdreportError, SignInError, UsageError } from '../errors.ts';
import { defaultAccountName, type Settings } from './resolve.ts';
import { formatBaseUrl, parseOrigin } from './setting-values.ts';
import { unknownAccountError } from './store.ts';

/** Base URL of a service with a token, credentials, or both. */
export interface SignIn {
  readonly baseUrl: URL;
  readonly encoding: Encoding;
  readonly token: string | undefined;
  readonly credentials: Credentials | undefined;

  /** Where the token or credentials come from, for messages about a refusal. */
  readonly origin?: SignInOrigin;
}

/**
 * Returns how to sign in. Throws `SignInError` if something is missing, and `UsageError` if the
 * environment has credentials without a base URL.
 */
export function requireSignIn(settings: Settings, runCommand: PasswordRunner): SignIn {
  const { account, baseUrl, encoding, token, isFromEnvironment } = settings;
  if (!isFromEnvironment) requireSameService(settings);
  if (!baseUrl.value) throw missingBaseUrl(settings);

  const credentials = findCredentials(settings, runCommand);
  if (!token.value && !credentials) {
    throw new SignInError(`Not signed in to account “${account.value}”: no token is stored.`, {
      hint: `Sign in with: ${loginCommandFor(account.value)}`,
    });
  }
  return {
    baseUrl: baseUrl.value,
    encoding: encoding.value,
    token: token.value,
    credentials,
    origin: describeOrigin(settings),
  };
}

/** Throws `SignInError` if the account is not stored, or is stored for a different base URL. */
function requireSameService({ account, storedAccount, stored, baseUrl }: Settings): void {
  const isNamed = ['flag', 'env', 'file'].includes(account.source);
  if (!storedAccount && isNamed) throw unknownAccountError(account.value, stored);
  if (!storedAccount) {
    throw new SignInError('You are not signed in.', {
      hint: 'Run adreport login (in scripts, set ADREPORT_BASE_URL and ADREPORT_TOKEN). To try sample data: adreport run --local --period yesterday',
    });
  }

  const ownUrl = storedAccount.baseUrl;
  if (ownUrl === undefined || !baseUrl.value || parseOrigin(ownUrl) === baseUrl.value.origin)
    return;
  const message = `The token of account “${account.value}” is for ${ownUrl}, so it is not sent to ${formatBaseUrl(baseUrl.value)}`;
  const isFlag = baseUrl.source === 'flag';
  throw new SignInError(`${message} (from ${baseUrl.from}).`, {
    hint: isFlag
      ? `Remove --base-url, or sign in there: adreport login --account NAME --base-url ${formatBaseUrl(baseUrl.value)}`
      : `Unset ${baseUrl.from}, or set ADREPORT_TOKEN too.`,
  });
}

function missingBaseUrl({ account, isFromEnvironment }: Settings): AdreportError {
  if (!isFromEnvironment) {
    return new SignInError(`Account “${account.value}” has no base URL.`, {
      hint: `Set it with: adreport config set base-url URL --account ${account.value}`,
    });
  }
  return new UsageError('The environment has credentials, but ADREPORT_BASE_URL is not set.', {
    hint: `Set it to the base URL of the service, for example ADREPORT_BASE_URL=${exampleBaseUrl}`,
  });
}

/** Runs a password command and returns the password. Throws `SignInError` if it fails. */
export type PasswordRunner = (command: string, account: string) => Promise<string>;

/** Returns `undefined` if the e-mail address or password is missing. */
function findCredentials(
  { account, email, password, passwordCommand }: Settings,
  runCommand: PasswordRunner,
): Credentials | undefined {
  if (!email.value) return undefined;
  if (password.value) return { email: email.value, password: password.value };

  const command = passwordCommand.value;
  if (command === undefined) return undefined;
  return { email: email.value, password: () => runCommand(command, account.value) };
}

/** Describes the source of the token, with hints on how to correct the token or the password. */
function describeOrigin({ account, isFromEnvironment, token }: Settings): SignInOrigin {
  if (isFromEnvironment) {
    return {
      token: `the token in ${token.from}`,
      tokenHint: `Set ${token.from} to a valid token, or unset it to use the token stored by adreport login.`,
      signInHint: 'Correct ADREPORT_EMAIL and ADREPORT_PASSWORD.',
    };
  }
  const byFile = account.source === 'file' ? ' (named in adreport.yaml)' : '';
  return {
    token: `the stored token of account “${account.value}”${byFile}`,
    tokenHint: `Sign in again with: ${loginCommandFor(account.value)}`,
    signInHint: `Check the output of the password command of account “${account.value}”.`,
  };
}

function loginCommandFor(account: string): string {
  return account === defaultAccountName ? 'adreport login' : `adreport login --account ${account}`;
}

/**
 * Returns the configured name of an account, or else the e-mail address or `default`, but never a
 * token.
 */
export function chooseAccountName(settings: Settings): string {
  const { account, email } = settings;
  const isChosen = account.source === 'flag' || account.value !== defaultAccountName;
  const hasName = isChosen && !isUnnamed(settings);
  return hasName ? account.value : (email.value ?? defaultAccountName);
}

/** Whether the credentials come from the environment without `ADREPORT_ACCOUNT`. */
export function isUnnamed({ account, isFromEnvironment }: Settings): boolean {
  return isFromEnvironment && account.source !== 'env';
}
