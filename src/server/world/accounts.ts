import type { Account } from '../fixtures/fixtures.ts';

/** A token of 40 hexadecimal digits that is easy to recognise, and plainly no secret. */
function account(name: string, tokenEnd: string, more: Pick<Account, 'profile' | 'admin' | 'advertiserIds'>): Account {
  return { name, email: `${name}@example.com`, password: 'demo', token: tokenEnd.padStart(40, '0'), ...more };
}

const plausible = ['501', '502', '503', '504', '505', '506', '507', '508', '509', '510', '511', '512'];

/** The built-in accounts. The names of `awkward` are hostile on purpose, and no other account sees them. */
export const accounts: readonly Account[] = [
  account('buyer', 'b1', {
    profile: 'buyer',
    admin: false,
    advertiserIds: ['501', '502', '503', '504', '505', '509', '510'],
  }),
  account('admin', 'ad', { profile: 'buyer', admin: true, advertiserIds: plausible }),
  account('dsp', 'd5', { profile: 'dsp', admin: false, advertiserIds: ['505', '506', '507', '508', '511', '512'] }),
  account('awkward', 'a4', { profile: 'buyer', admin: false, advertiserIds: ['591', '592'] }),
];
