import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from '../fixtures/fixtures.ts';
import { ServiceError } from './service-error.ts';

const sessionsAtMost = 10_000;
/** So many more are let in before the stalest go: to find the first of a Map costs as much as was deleted before it. */
const sessionsOverdue = 1_000;

interface Session {
  readonly email: string;
  lastUsedMs: number;
}

/** Who is signed in: tokens that live as long as they are used (`decisions.md` 1), and the fixed ones, which never end. */
export class Sessions {
  readonly #ttlMs: number;
  /** By token, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #revoked = new Set<string>();
  #byEmail: ReadonlyMap<string, Account> = new Map();
  #byToken: ReadonlyMap<string, Account> = new Map();
  /** Digests of the passwords, made beforehand: to sign in then takes the same work whoever tries. */
  #passwords: ReadonlyMap<Account, Buffer> = new Map();

  constructor(accounts: readonly Account[], ttlMs: number) {
    this.#ttlMs = ttlMs;
    this.replaceAccounts(accounts);
  }

  /** Takes over edited accounts; sessions of accounts that are gone end. */
  replaceAccounts(accounts: readonly Account[]): void {
    this.#byEmail = new Map(accounts.map((account) => [account.email.toLowerCase(), account]));
    this.#byToken = new Map(accounts.map((account) => [account.token, account]));
    this.#passwords = new Map(accounts.map((account) => [account, digest(account.password)]));
    for (const [token, { email }] of this.#sessions) {
      if (!this.#byEmail.has(email)) this.#sessions.delete(token);
    }
  }

  /** The account of an e-mail address, in any case. */
  accountOf(email: string): Account | undefined {
    return this.#byEmail.get(email.trim().toLowerCase());
  }

  /** A new token for the right e-mail and password; the same refusal, after the same work, for either being wrong. */
  signIn(email: string, password: string, nowMs: number): string {
    const account = this.accountOf(email);
    const isRight = timingSafeEqual(digest(password), (account && this.#passwords.get(account)) ?? nobodysPassword);
    if (!account || !isRight) {
      throw new ServiceError('INVALID_CREDENTIALS', 'No account has this e-mail address and password.');
    }
    const token = randomBytes(20).toString('hex');
    this.#sessions.set(token, { email: account.email.toLowerCase(), lastUsedMs: nowMs });
    if (this.#sessions.size >= sessionsAtMost + sessionsOverdue) this.#forgetStalest();
    return token;
  }

  #forgetStalest(): void {
    for (const token of this.#sessions.keys()) {
      if (this.#sessions.size <= sessionsAtMost) break;
      this.#sessions.delete(token);
    }
  }

  /** The account of a call, by its `Authorization` header; an accepted call extends the token's life. */
  authorize(header: string | undefined, nowMs: number): Account {
    const token = header?.trim() ?? '';
    if (this.#revoked.has(token)) {
      throw new ServiceError('INVALID_TOKEN', 'This token is no longer valid: sign in again.');
    }
    const fixed = this.#byToken.get(token);
    if (fixed) return fixed;
    const session = this.#sessions.get(token);
    const account = session && this.#byEmail.get(session.email);
    if (!session || !account) throw refusalOf(token);
    if (nowMs - session.lastUsedMs > this.#ttlMs) {
      throw new ServiceError('EXPIRED_TOKEN', 'This token was not used for too long and has expired: sign in again.');
    }
    session.lastUsedMs = nowMs;
    this.#sessions.delete(token);
    this.#sessions.set(token, session);
    return account;
  }

  /** Ends a token, fixed or not. */
  revoke(token: string): void {
    if (token === '' || this.#revoked.size > sessionsAtMost) return;
    this.#revoked.add(token);
    this.#sessions.delete(token);
  }

  reset(): void {
    this.#sessions.clear();
    this.#revoked.clear();
  }
}

/** A digest that no password has. */
const nobodysPassword = randomBytes(32);

/** What to change about a token that nobody has. */
function refusalOf(token: string): ServiceError {
  if (token === '') {
    return new ServiceError('MISSING_TOKEN', 'Send the token of POST /auth-reporting in the Authorization header.');
  }
  const [, scheme] = /^(bearer|token|basic)(?:\s|$)/i.exec(token) ?? [];
  if (scheme) {
    const error = `Send the token alone in the Authorization header, without “${scheme}”.`;
    return new ServiceError('INVALID_TOKEN', error);
  }
  return new ServiceError('INVALID_TOKEN', 'This token is not known: sign in again.');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
