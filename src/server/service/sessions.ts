import { createHash, timingSafeEqual } from 'node:crypto';
import type { Account } from '../fixtures/fixtures.ts';
import type { ServerOptions } from '../options.ts';
import type { IdSource } from './ids.ts';
import { refuseUntil, ServiceError } from './service-error.ts';

const maxSessions = 10_000;
const twoHoursMs = 2 * 3_600_000;

interface Session {
  readonly email: string;
  readonly lastUsedMs: number;
}

/**
 * Tokens and the rate limit. Tokens expire when they are not used (`decisions.md` 1), except the
 * fixed tokens of the accounts. Errors are thrown as `ServiceError`.
 */
export class Sessions {
  readonly #accounts: readonly Account[];
  readonly #tokenTtlMs: number;
  readonly #rateLimitPerSecond: number | undefined;

  /** By token, least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #revokedTokens = new Set<string>();
  readonly #idOf: IdSource;
  #signIns = 0;

  /** Times of the calls of the last second, by account or, if unknown, by IP address. */
  readonly #recentCalls = new Map<string, number[]>();

  constructor(accounts: readonly Account[], options: ServerOptions, idOf: IdSource) {
    this.#accounts = accounts;
    this.#idOf = idOf;
    this.#tokenTtlMs = options.tokenTtlMs ?? twoHoursMs;
    this.#rateLimitPerSecond = options.rateLimit;
  }

  /** Finds the account of an e-mail address, ignoring case. */
  accountOf(email = ''): Account | undefined {
    const wanted = email.trim().toLowerCase();
    return this.#accounts.find((account) => account.email.toLowerCase() === wanted);
  }

  /** Returns a new token. An unknown e-mail and a wrong password are refused in the same way. */
  signIn(email: string, password: string, nowMs: number): string {
    const account = this.accountOf(email);
    const isRight = timingSafeEqual(digestOf(password), digestOf(account?.password ?? ''));
    if (!account || !isRight) {
      throw new ServiceError(
        'INVALID_CREDENTIALS',
        'No account has this e-mail address and password.',
      );
    }

    this.#signIns += 1;
    const token = this.#idOf('token', this.#signIns);
    this.#sessions.set(token, { email: account.email, lastUsedMs: nowMs });
    for (const stalest of this.#sessions.keys()) {
      if (this.#sessions.size <= maxSessions) break;
      this.#sessions.delete(stalest);
    }

    return token;
  }

  /**
   * Returns the account of an `Authorization` header. Every accepted call extends the token's life.
   */
  authorize(header: string, nowMs: number): Account {
    const token = header.trim();
    if (token === '') {
      throw new ServiceError(
        'MISSING_TOKEN',
        'Send the token from POST /auth-reporting in the Authorization header.',
      );
    }
    if (this.#revokedTokens.has(token)) {
      throw new ServiceError('INVALID_TOKEN', 'This token is no longer valid: sign in again.');
    }

    const fixed = this.#accounts.find((account) => account.token === token);
    if (fixed) return fixed;

    const session = this.#sessions.get(token);
    const account = session && this.accountOf(session.email);
    if (!session || !account) throw unknownToken(token);

    if (nowMs - session.lastUsedMs > this.#tokenTtlMs) {
      throw new ServiceError(
        'EXPIRED_TOKEN',
        'This token has expired because it was not used: sign in again.',
      );
    }

    // Deleting and setting it moves it to the end of the map.
    this.#sessions.delete(token);
    this.#sessions.set(token, { ...session, lastUsedMs: nowMs });
    return account;
  }

  /** Counts a call of an account or an IP address. Throws if it exceeds the rate limit. */
  countCall(caller: string, nowMs: number): void {
    const limit = this.#rateLimitPerSecond;
    if (limit === undefined) return;

    const calls = this.#recentCalls.get(caller) ?? [];
    // After the clock is set back, calls with later times must not count forever.
    const recent = calls.filter((timeMs) => Math.abs(nowMs - timeMs) < 1_000);
    this.#recentCalls.set(caller, recent);
    if (recent.length < limit) {
      recent.push(nowMs);
      return;
    }

    const [oldestMs = nowMs] = recent;
    const sentence = `Too many calls: the limit is ${limit} per second.`;
    throw refuseUntil('RATE_LIMITED', sentence, oldestMs + 1_000 - nowMs);
  }

  /** Revokes the token of an `Authorization` header. Ignores unknown tokens. */
  revoke(header: string): void {
    const token = header.trim();
    const isFixed = this.#accounts.some((account) => account.token === token);
    if (!isFixed && !this.#sessions.has(token)) return;
    if (this.#revokedTokens.size < maxSessions) this.#revokedTokens.add(token);
  }

  /** Restores the accounts' fixed tokens that a fault revoked. */
  restoreFixedTokens(): void {
    for (const { token } of this.#accounts) this.#revokedTokens.delete(token);
  }

  reset(): void {
    this.#sessions.clear();
    this.#signIns = 0;
    this.#revokedTokens.clear();
    this.#recentCalls.clear();
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unknownToken(token: string): ServiceError {
  const [, scheme] = /^(bearer|token|basic)(?:\s|$)/i.exec(token) ?? [];
  if (scheme === undefined) {
    return new ServiceError('INVALID_TOKEN', 'Unknown token: sign in again.');
  }

  const advice = `Send only the token in the Authorization header, without “${scheme}”.`;
  return new ServiceError('INVALID_TOKEN', advice);
}
