import { expect, test } from 'vitest';
import type { Account } from '../../src/server/fixtures/fixtures.ts';
import { Sessions } from '../../src/server/service/sessions.ts';

/** How many sessions and ended tokens are kept: whoever signs in for every call must not fill the memory. */

const account: Account = {
  name: 'buyer',
  email: 'a@example.com',
  password: 'demo',
  profile: 'buyer',
  admin: false,
  token: '0'.repeat(40),
  advertiserIds: [],
};

const signIn = (sessions: Sessions): string => sessions.signIn(account.email, account.password, 0);

test('of thousands of sessions the ones that are used stay', () => {
  const sessions = new Sessions([account], 1_000);
  const used = signIn(sessions);
  const unused = signIn(sessions);
  for (let count = 0; count < 11_000; count += 1) {
    signIn(sessions);
    sessions.authorize(used, 0);
  }
  expect(sessions.authorize(used, 0)).toBe(account);
  expect(() => sessions.authorize(unused, 0)).toThrow('This token is not known');
});

test('of thousands of ended tokens those beyond the ten thousandth are not noted', () => {
  const sessions = new Sessions([account], 1_000);
  for (let count = 0; count <= 10_000; count += 1) sessions.revoke(`token ${count}`);
  sessions.revoke(account.token);
  expect(sessions.authorize(account.token, 0)).toBe(account);
  sessions.reset();
  sessions.revoke(account.token);
  expect(() => sessions.authorize(account.token, 0)).toThrow('no longer valid');
});
