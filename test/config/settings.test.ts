import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkAccountName, requireSignIn, resolveSettings, type SettingsSources } from '../../src/config/settings.ts';
import type { StoredSettings } from '../../src/config/store.ts';
import { SignInError, UsageError } from '../../src/errors.ts';

const stored: StoredSettings = {
  defaultAccount: 'work',
  accounts: {
    work: { baseUrl: 'https://work.example', token: 'work-token', profile: 'dsp', email: 'me@work.example' },
    home: { baseUrl: 'https://home.example', token: 'home-token' },
  },
};
const nothingStored: StoredSettings = { accounts: {} };

function resolve(sources: Partial<SettingsSources> = {}) {
  return resolveSettings({ flags: {}, env: {}, stored, ...sources });
}

test('the strongest source that gives a value wins, and is named', () => {
  const layers = fc.subarray(['flag', 'env', 'file', 'account'] as const);
  fc.assert(
    fc.property(layers, layers, (account, profile) => {
      const settings = resolveSettings({
        flags: {
          ...(account.includes('flag') ? { account: 'home' } : {}),
          ...(profile.includes('flag') ? { profile: 'DSP' } : {}),
        },
        env: {
          ADREPORT_ACCOUNT: account.includes('env') ? 'env-account' : '',
          ADREPORT_PROFILE: profile.includes('env') ? 'dsp' : undefined,
        },
        projectFile: {
          ...(account.includes('file') ? { account: 'file-account' } : {}),
          ...(profile.includes('file') ? { profile: 'dsp' } : {}),
        },
        stored: {
          ...(account.includes('account') ? { defaultAccount: 'stored-account' } : {}),
          accounts: Object.fromEntries(
            ['home', 'env-account', 'file-account', 'stored-account', 'default'].map((name) => [
              name,
              { baseUrl: 'https://x.example', ...(profile.includes('account') ? { profile: 'dsp' } : {}) },
            ]),
          ),
        },
      });
      const names = { flag: 'home', env: 'env-account', file: 'file-account', account: 'stored-account' };
      const strongest = account[0];
      expect(settings.account.value).toBe(strongest ? names[strongest] : 'default');
      expect(settings.account.source).toBe(strongest ?? 'default');
      expect(settings.profile.value).toBe(profile[0] ? 'dsp' : 'buyer');
      expect(settings.profile.source).toBe(profile[0] ?? 'default');
    }),
  );
});

test('the environment beats the account, value by value', () => {
  const settings = resolve({ env: { ADREPORT_TOKEN: ' env-token\n', ADREPORT_EMAIL: 'ci@x.example' } });
  expect(settings.token).toEqual({ value: 'env-token', source: 'env', from: 'ADREPORT_TOKEN' });
  expect(settings.email.value).toBe('ci@x.example');
  expect(settings.baseUrl.source).toBe('account');
});

test('a password is taken as it is, an empty variable as none', () => {
  expect(resolve({ env: { ADREPORT_PASSWORD: ' blanks ' } }).password.value).toBe(' blanks ');
  expect(resolve({ env: { ADREPORT_PASSWORD: '' } }).password.value).toBeUndefined();
  expect(resolve({ env: { ADREPORT_TOKEN: ' ' } }).token.value).toBe('work-token');
});

describe('a stored token goes only where it belongs', () => {
  test.each([
    [{ flags: { baseUrl: 'https://work.example/v2' }, env: {} }, 'work-token'],
    [{ flags: { baseUrl: 'https://evil.example' }, env: {} }, undefined],
    [{ flags: { baseUrl: 'https://work.example:8443' }, env: {} }, undefined],
    [{ flags: {}, env: { ADREPORT_BASE_URL: 'http://localhost:8787' } }, undefined],
    [{ flags: {}, env: { ADREPORT_BASE_URL: 'https://evil.example', ADREPORT_TOKEN: 'given-token' } }, 'given-token'],
  ])('%j: %s', (sources, expected) => {
    const settings = resolve(sources);
    expect(settings.token.value).toBe(expected);
    expect(settings.tokenWithheld === undefined).toBe(expected !== undefined);
  });

  test('and an edited base URL takes no token elsewhere', () => {
    const edited = { accounts: { default: { baseUrl: 'not an address', token: 'stored-token' } } };
    const settings = resolve({ stored: edited, flags: { baseUrl: 'https://evil.example' } });
    expect(settings.token.value).toBeUndefined();
  });

  test('whatever adreport.yaml says: it gives no address and no secret', () => {
    const projectFile = {
      account: 'home',
      baseUrl: 'https://evil.example',
      token: 'x',
      'base-url': 'https://evil.example',
    };
    const settings = resolve({ projectFile });
    expect(settings.baseUrl.value?.href).toBe('https://home.example/');
    expect(settings.token.value).toBe('home-token');
  });
});

describe('what cannot be a setting is refused, and where it came from is said', () => {
  test.each([
    [{ env: { ADREPORT_BASE_URL: 'http://api.example.com' } }, '(From ADREPORT_BASE_URL.)'],
    [{ flags: { baseUrl: 'x' } }, '(From --base-url.)'],
    [{ env: { ADREPORT_TOKEN: 'Bearer abc' } }, '(From ADREPORT_TOKEN.)'],
    [
      { env: { ADREPORT_PROFILE: 'seller' } },
      '"seller" is no profile; there are buyer and dsp. (From ADREPORT_PROFILE.)',
    ],
    [{ projectFile: { profile: 'seller' } }, '(From adreport.yaml (profile).)'],
    [{ flags: { account: '../x' } }, '(From --account.)'],
    [{ stored: { accounts: { default: { baseUrl: 'x' } } } }, '(From account "default".)'],
  ])('%j', (sources, expected) => {
    expect(() => resolve(sources)).toThrow(UsageError);
    expect(() => resolve(sources)).toThrow(expected);
  });
});

test.each(['constructor', '__proto__', 'toString'])('an account named %s is nothing special', (name) => {
  const env = { ADREPORT_ACCOUNT: name };
  if (name === '__proto__') expect(() => resolve({ env })).toThrow(UsageError);
  else expect(resolve({ env }).storedAccount).toBeUndefined();
});

test('account names', () => {
  for (const name of ['work', 'Société-1', 'me@example.com', '2026', 'a.b_c'])
    expect(checkAccountName(name)).toBe(name);
  for (const name of ['', ' ', '-x', '.x', 'a/b', 'a b', 'a\u001b', 'x'.repeat(65)]) {
    expect(() => checkAccountName(name)).toThrow(UsageError);
  }
});

describe('requireSignIn', () => {
  const signIn = (sources: Partial<SettingsSources> = {}) => requireSignIn(resolve(sources), sources.stored ?? stored);

  test('a token, or credentials, or both', () => {
    expect(signIn()).toEqual({
      baseUrl: new URL('https://work.example'),
      encoding: 'json',
      token: 'work-token',
      credentials: undefined,
    });
    const env = { ADREPORT_BASE_URL: 'https://x.example', ADREPORT_EMAIL: 'a@x.example', ADREPORT_PASSWORD: 'pw' };
    expect(signIn({ stored: nothingStored, env })).toEqual({
      baseUrl: new URL('https://x.example'),
      encoding: 'json',
      token: undefined,
      credentials: { email: 'a@x.example', password: 'pw' },
    });
  });

  test.each([
    [{ stored: nothingStored }, 'no account is stored', '--local'],
    [{ flags: { account: 'wor' } }, 'No account “wor” is stored; there are work, home.', 'Did you mean work?'],
    [{ env: { ADREPORT_ACCOUNT: 'client-7' } }, 'No account “client-7”', 'adreport login --account client-7'],
    [{ flags: { baseUrl: 'https://evil.example' } }, 'is not sent to https://evil.example', 'ADREPORT_TOKEN'],
    [{ stored: { accounts: { default: { baseUrl: 'https://x.example' } } } }, 'no token is stored', 'adreport login'],
  ])('%j', (sources, message, hint) => {
    const error = expect.objectContaining({
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
      exitCode: 3,
    });
    expect(() => signIn(sources)).toThrow(SignInError);
    expect(() => signIn(sources)).toThrow(error);
  });
});
