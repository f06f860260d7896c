import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resolveSettings, type SettingsSources } from '../../src/account/resolve.ts';
import { checkToken, formatBaseUrl, maskToken } from '../../src/account/setting-values.ts';
import { requireSignIn } from '../../src/account/sign-in.ts';
import type { StoredSettings } from '../../src/account/store.ts';
import { checkBaseUrl } from '../../src/api/base-url.ts';
import { SignInError, UsageError } from '../../src/errors.ts';

const stored: StoredSettings = {
  defaultAccount: 'work',
  accounts: {
    work: {
      baseUrl: 'https://work.example',
      token: 'work-token',
      profile: 'dsp',
      email: 'me@work.example',
    },
    home: { baseUrl: 'https://home.example', token: 'home-token' },
  },
};
const nothingStored: StoredSettings = { accounts: {} };

function resolve(sources: Partial<SettingsSources> = {}) {
  return resolveSettings({ flags: {}, env: {}, stored, ...sources });
}

test('the source with the highest precedence wins, and is named', () => {
  const layers = fc.subarray(['flag', 'env', 'file', 'account'] as const);
  fc.assert(
    fc.property(layers, layers, (account, profile) => {
      const names = {
        flag: 'home',
        env: 'env-account',
        file: 'file-account',
        account: 'stored-account',
      };
      const one = {
        baseUrl: 'https://x.example',
        profile: profile.includes('account') ? 'dsp' : undefined,
      } as const;
      const accounts = Object.fromEntries(
        [...Object.values(names), 'default'].map((name) => [name, one]),
      );
      const of = (layer: (typeof account)[number]) => ({
        account: account.includes(layer) ? names[layer] : undefined,
        profile: profile.includes(layer) ? 'DSP' : undefined,
      });
      const settings = resolveSettings({
        flags: of('flag'),
        env: { ADREPORT_ACCOUNT: of('env').account ?? '', ADREPORT_PROFILE: of('env').profile },
        projectFile: of('file'),
        stored: { defaultAccount: of('account').account, accounts },
      });
      const value = account[0] ? names[account[0]] : 'default';
      expect(settings.account).toMatchObject({ value, source: account[0] ?? 'default' });
      expect(settings.profile).toMatchObject({
        value: profile[0] ? 'dsp' : 'buyer',
        source: profile[0] ?? 'default',
      });
    }),
  );
});

test('a password keeps its blanks, and an empty variable counts as unset', () => {
  const pair = { ADREPORT_EMAIL: 'me@x.example', ADREPORT_PASSWORD: ' blanks ' };

  expect(resolve({ env: pair }).password.value).toBe(' blanks ');
  expect(
    resolve({ env: { ADREPORT_EMAIL: '', ADREPORT_PASSWORD: '' } }).password.value,
  ).toBeUndefined();
  expect(resolve({ env: { ADREPORT_TOKEN: ' ' } }).token.value).toBe('work-token');
});

test.each([
  { env: { ADREPORT_EMAIL: 'me@x.example' }, message: 'ADREPORT_PASSWORD is not' },
  { env: { ADREPORT_PASSWORD: 'pw', ADREPORT_TOKEN: 't' }, message: 'ADREPORT_EMAIL is not' },
])('$env, one of the two alone, is exit 2 unless an account is named', ({ env, message }) => {
  const refusal = { exitCode: 2, message: expect.stringContaining(message) };
  expect(() => resolve({ env })).toThrow(expect.objectContaining(refusal));
  expect(resolve({ env, flags: { account: 'home' } }).token.value).toBe('home-token');
});

test('the credentials are those of one place, whatever the environment has', () => {
  const value = fc.constantFrom('', 'given');
  const env = fc.record({
    ADREPORT_TOKEN: value,
    ADREPORT_EMAIL: value,
    ADREPORT_PASSWORD: value,
    ADREPORT_ACCOUNT: fc.constantFrom('', 'home', 'work', 'new'),
    ADREPORT_BASE_URL: fc.constantFrom('', 'https://work.example', 'https://other.example'),
  });
  const flags = fc.constantFrom({}, { account: 'home' }, { account: 'work' });
  fc.assert(
    fc.property(env, flags, (variables, typed) => {
      const { ADREPORT_EMAIL: hasEmail, ADREPORT_PASSWORD: hasPassword } = variables;
      fc.pre(hasEmail === hasPassword);
      const settings = resolve({ env: variables, flags: typed });

      const { token, email, password, baseUrl, isFromEnvironment, storedAccount } = settings;
      const place = isFromEnvironment ? 'env' : 'account';
      for (const { value, source } of [token, email, password]) {
        if (value !== undefined) expect(source).toBe(place);
      }
      const isAllowed = !isFromEnvironment && baseUrl.value?.origin === storedAccount?.baseUrl;
      const isRefused = () => requireSignIn(settings, async () => '');
      if (!isFromEnvironment && !isAllowed) expect(isRefused).toThrow(SignInError);

      const hasGiven = variables.ADREPORT_TOKEN !== '' || hasEmail !== '';
      expect(isFromEnvironment).toBe(!('account' in typed) && hasGiven);
    }),
  );
});

describe('an invalid value is refused with its source', () => {
  test.each([
    {
      sources: { env: { ADREPORT_BASE_URL: 'http://api.example.com' } },
      expected: '(From ADREPORT_BASE_URL.)',
    },
    { sources: { env: { ADREPORT_TOKEN: 'Bearer abc' } }, expected: '(From ADREPORT_TOKEN.)' },
    {
      sources: { env: { ADREPORT_PROFILE: 'seller' } },
      expected: 'Unknown profile “seller”. (From ADREPORT_PROFILE.)',
    },
    {
      sources: { stored: { accounts: { default: { baseUrl: 'x' } } } },
      expected: '(From account “default”.)',
    },
  ])('$sources', ({ sources, expected }) => {
    const refusal = { exitCode: 2, message: expect.stringContaining(expected) };
    expect(() => resolve(sources)).toThrow(expect.objectContaining(refusal));
  });
});

describe('requireSignIn', () => {
  const signIn = (sources: Partial<SettingsSources> = {}) =>
    requireSignIn(resolve(sources), async () => 'from a command');

  test.each([
    { sources: { stored: nothingStored }, message: 'You are not signed in.', hint: '--local' },
    {
      sources: { flags: { account: 'wor' } },
      message: 'No stored account is named “wor”.',
      hint: 'Did you mean work?',
    },
    {
      sources: { env: { ADREPORT_BASE_URL: 'https://evil.example' } },
      message: 'is not sent to https://evil.example (from ADREPORT_BASE_URL)',
      hint: 'Unset ADREPORT_BASE_URL, or set ADREPORT_TOKEN too.',
    },
    {
      sources: { stored: { accounts: { default: { token: 'x' } } } },
      message: 'Account “default” has no base URL.',
      hint: 'adreport config set base-url URL --account default',
    },
    {
      sources: { stored: { accounts: { default: { baseUrl: 'https://x.example' } } } },
      message: 'no token is stored',
      hint: 'adreport login',
    },
  ])('$sources', ({ sources, message, hint }) => {
    const texts = {
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
    expect(() => signIn(sources)).toThrow(expect.objectContaining({ ...texts, exitCode: 3 }));
  });

  test('credentials of the environment without a base URL are exit 2', () => {
    const message = expect.stringContaining('ADREPORT_BASE_URL is not set');
    const refusal = expect.objectContaining({ message, exitCode: 2 });
    const env = { ADREPORT_TOKEN: 't' };
    expect(() => signIn({ stored: nothingStored, env })).toThrow(refusal);
  });
});

const check = (text: string, hosts: readonly string[] = []) =>
  checkBaseUrl(text, { hosts, option: 'ADREPORT_ALLOW_HTTP' });

test('a host that is allowed may have plain http, on any port', () => {
  expect(check('http://Server:8787', ['server']).href).toBe('http://server:8787/');

  const refusal = expect.objectContaining({
    hint: expect.stringContaining('add server to ADREPORT_ALLOW_HTTP'),
  });
  expect(() => check('http://server:8787', ['other'])).toThrow(refusal);
});

test.each([
  { text: 'https://api.example.com//', expected: 'https://api.example.com' },
  { text: 'http://localhost:8787', expected: 'http://localhost:8787' },
])('the base URL $text is $expected', ({ text, expected }) => {
  expect(formatBaseUrl(check(text))).toBe(expected);
});

test.each([
  {
    why: 'must start with https://',
    texts: ['http://128.0.0.1', 'http://[::ffff:7f00:1]', 'http://0.0.0.0:8787'],
  },
  {
    why: 'must not have a query or fragment',
    texts: ['https://api.example.com?x=1', 'https://api.example.com/?', 'https://x.example/#top'],
  },
  {
    why: 'not an http or https URL',
    texts: ['', 'ftp://x.example', 'file:///etc/passwd', 'https:api.example.com', 'https://a b'],
  },
  {
    why: 'must not contain a user name',
    texts: ['https://me:hunter22@api.example.com', 'https://hunter22@x.example'],
  },
])('base URLs are refused: $why', ({ why, texts }) => {
  for (const text of texts) {
    const secret = expect.not.stringContaining('hunter22');
    expect(() => check(text)).toThrow(
      expect.objectContaining({ name: 'UsageError', message: secret }),
    );
    expect(() => check(text)).toThrow(why);
  }
});

test.each([{ text: 'localhost:8787', hint: 'Did you mean http://localhost:8787?' }])(
  '$text, with a guess',
  ({ text, hint }) => {
    expect(() => check(text)).toThrow(expect.objectContaining({ hint }));
  },
);

test('an accepted base URL is safe for a token, and is read back unchanged', () => {
  const paths = fc.constantFrom('', '/', '/a/b%20c', '/é/../x', '//', '/:80', ':8443/a', '@x/');
  const rests = fc.constantFrom('', '?', '?a=1', '#', '#x', '?a=1#x');
  const hosts = fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('localhost', '[::1]', '127.1'));
  const web = fc.tuple(hosts, paths, rests).map((parts) => parts.join(''));

  const anything = fc.oneof(web, fc.string());

  fc.assert(
    fc.property(
      fc.constantFrom('', 'http://', 'https://', 'https://u:p@', 'ftp://'),
      anything,
      (prefix, rest) => {
        let url: URL;
        try {
          url = check(prefix + rest);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
          return;
        }
        expect(
          url.protocol === 'https:' ||
            /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname),
        ).toBe(true);
        expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', '']);
        expect(check(formatBaseUrl(url))).toEqual(url);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  { token: '0123456789abcdef0123456789abcdef89abcdef', expected: '0123…cdef' },
  { token: '0123456789abcdef', expected: '01…ef' },
  { token: '12345678', expected: '1…8' },
])('the token $token is shown as $expected', ({ token, expected }) => {
  expect(maskToken(token)).toBe(expected);
});

test.each([
  { text: '  ', expected: 'empty' },
  { text: 'Bearer abc', expected: 'starts with “Bearer”' },
  { text: 'a\u0000b', expected: 'other invalid characters' },
])('the token $text is refused', ({ text, expected }) => {
  const refusal = { exitCode: 2, message: expect.stringContaining(expected) };
  expect(() => checkToken(text)).toThrow(expect.objectContaining(refusal));
});
