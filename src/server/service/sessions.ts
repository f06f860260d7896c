import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from '../fixtures/fixtures.ts';
import { refuseUntil, ServiceError } from './service-error.ts';

const sessionsAtMost = 10_000;

/**
 * Who is signed in, and how often they may call: tokens that live as long as they are used (`decisions.md` 1), and the
 * fixed ones, which never end.
 */
export class Sessions {
  readonly #ttlMs: number;
  readonly #callsPerSecond: number;
  /** By token, the least recently used first. */
  readonly #sessions = new Map<string, { readonly email: string; readonly lastUsedMs: number }>();
  readonly #revoked = new Set<string>();
  /** When the calls of the last second came, by account or, without one, by peer. */
  readonly #recentCalls = new Map<string, number[]>();
  #accounts: readonly Account[];

  constructor(accounts: readonly Account[], ttlMs: number, callsPerSecond = Number.POSITIVE_INFINITY) {
    this.#accounts = accounts;
    this.#ttlMs = ttlMs;
    this.#callsPerSecond = callsPerSecond;
  }

  /** Takes over edited accounts; sessions of accounts that are gone end. */
  replaceAccounts(accounts: readonly Account[]): void {
    this.#accounts = accounts;
    for (const [token, { email }] of this.#sessions) if (!this.accountOf(email)) this.#sessions.delete(token);
  }

  /** The account of an e-mail address, in any case. */
  accountOf(email: string): Account | undefined {
    const wanted = email.trim().toLowerCase();
    return this.#accounts.find((account) => account.email.toLowerCase() === wanted);
  }

  /** A new token for the right e-mail and password; the same refusal, after the same work, for either being wrong. */
  signIn(email: string, password: string, nowMs: number): string {
    const account = this.accountOf(email);
    const isRight = timingSafeEqual(digest(password), digest(account?.password ?? ''));
    if (!account || !isRight) {
      throw new ServiceError('INVALID_CREDENTIALS', 'No account has this e-mail address and password.');
    }
    const token = randomBytes(20).toString('hex');
    this.#sessions.set(token, { email: account.email, lastUsedMs: nowMs });
    const [stalest] = this.#sessions.keys();
    if (stalest !== undefined && this.#sessions.size > sessionsAtMost) this.#sessions.delete(stalest);
    return token;
  }

  /** The account of a call, by its `Authorization` header; an accepted call extends the token's life. */
  authorize(header: string | undefined, nowMs: number): Account {
    const token = header?.trim() ?? '';
    if (this.#revoked.has(token)) {
      throw new ServiceError('INVALID_TOKEN', 'This token is no longer valid: sign in again.');
    }
    const fixed = this.#accounts.find((account) => account.token === token);
    if (fixed) return fixed;
    const session = this.#sessions.get(token);
    const account = session && this.accountOf(session.email);
    if (!session || !account) throw refusalOf(token);
    if (nowMs - session.lastUsedMs > this.#ttlMs) {
      throw new ServiceError('EXPIRED_TOKEN', 'This token was not used for too long and has expired: sign in again.');
    }
    this.#sessions.delete(token);
    this.#sessions.set(token, { ...session, lastUsedMs: nowMs });
    return account;
  }

  /** Counts a call of an account or a peer. Throws 429 when it is one too many in any second. */
  admit(caller: string, nowMs: number): void {
    if (this.#callsPerSecond === Number.POSITIVE_INFINITY) return;
    const recent = (this.#recentCalls.get(caller) ?? []).filter((time) => nowMs - time < 1_000);
    this.#recentCalls.set(caller, recent);
    if (recent.length >= this.#callsPerSecond) {
      const error = `At most ${this.#callsPerSecond} calls a second are allowed.`;
      throw refuseUntil('RATE_LIMITED', error, (recent[0] ?? nowMs) + 1_000 - nowMs);
    }
    recent.push(nowMs);
  }

  /** Ends a token, fixed or not. */
  revoke(token: string): void {
    if (token === '' || this.#revoked.size > sessionsAtMost) return;
    this.#revoked.add(token);
    this.#sessions.delete(token);
  }

  reset(): void {
    for (const part of [this.#sessions, this.#revoked, this.#recentCalls]) part.clear();
  }
}

/** What to change about a token that nobody has. */
function refusalOf(token: string): ServiceError {
  if (token === '') {
    return new ServiceError('MISSING_TOKEN', 'Send the token of POST /auth-reporting in the Authorization header.');
  }
  const [, scheme] = /^(bearer|token|basic)(?:\s|$)/i.exec(token) ?? [];
  const error = scheme
    ? `Send the token alone in the Authorization header, without “${scheme}”.`
    : 'This token is not known: sign in again.';
  return new ServiceError('INVALID_TOKEN', error);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
