import { createHash, timingSafeEqual } from 'node:crypto';
import type { Account } from '../fixtures/fixtures.ts';
import type { ServerOptions } from '../options.ts';
import type { IdSource } from './ids.ts';
import { retryLaterError, ServiceError } from './service-error.ts';

const twoHoursMs = 2 * 3_600_000;

interface Session {
  readonly account: Account;

  /** Not set for the fixed token of an account. */
  readonly lastUsedMs?: number;
}

/**
 * Tokens and the rate limit. Unused tokens expire, except the accounts' fixed tokens (`decisions.md`
 * 1). Throws `ServiceError`.
 */
export class Sessions {
  readonly #accounts: readonly Account[];
  readonly #tokenTtlMs: number;
  readonly #rateLimit: number | undefined;

  /** Sessions by token. */
  readonly #sessions = new Map<string, Session>();
  readonly #createId: IdSource;
  #signIns = 0;

  /** Calls in the current second, by e-mail address, or by IP address if the account is unknown. */
  readonly #latestCalls = new Map<string, { readonly second: number; readonly calls: number }>();

  constructor(accounts: readonly Account[], options: ServerOptions, createId: IdSource) {
    this.#accounts = accounts;
    this.#createId = createId;
    this.#tokenTtlMs = options.tokenTtlMs ?? twoHoursMs;
    this.#rateLimit = options.rateLimit;
    this.restoreFixedTokens();
  }

  /** Returns a new token. An unknown e-mail address and a wrong password give the same error. */
  signIn(email: string, password: string, nowMs: number): string {
    const lowerCaseEmail = email.trim().toLowerCase();
    const account = this.#accounts.find(
      (account) => account.email.toLowerCase() === lowerCaseEmail,
    );
    const isPasswordCorrect = timingSafeEqual(
      hashText(password),
      hashText(account?.password ?? ''),
    );
    if (!account || !isPasswordCorrect) {
      throw new ServiceError(
        'INVALID_CREDENTIALS',
        'No account has this e-mail address and password.',
      );
    }

    this.#signIns += 1;
    const token = this.#createId('token', this.#signIns);
    this.#sessions.set(token, { account, lastUsedMs: nowMs });
    return token;
  }

  /**
   * Returns the account that an `Authorization` header belongs to. Every accepted call extends the
   * token's life.
   */
  authorize(header: string, nowMs: number): Account {
    const token = header.trim();
    if (token === '') {
      throw new ServiceError(
        'MISSING_TOKEN',
        'Send the token from POST /auth-reporting in the Authorization header.',
      );
    }

    const session = this.#sessions.get(token);
    if (!session) throw unknownTokenError(token);

    const { account, lastUsedMs } = session;
    if (lastUsedMs === undefined) return account;
    if (nowMs - lastUsedMs > this.#tokenTtlMs) {
      throw new ServiceError(
        'EXPIRED_TOKEN',
        'This token has expired because it was not used: sign in again.',
      );
    }
    this.#sessions.set(token, { account, lastUsedMs: nowMs });
    return account;
  }

  /**
   * Counts a call by account, or by IP address if the account is unknown. Throws above the rate
   * limit.
   */
  countCall(header: string, address: string | undefined, nowMs: number): void {
    const limit = this.#rateLimit;
    if (limit === undefined) return;

    const caller = this.#sessions.get(header.trim())?.account.email ?? address ?? '';
    const second = Math.floor(nowMs / 1_000);
    const latest = this.#latestCalls.get(caller);
    const calls = latest?.second === second ? latest.calls : 0;
    if (calls >= limit) {
      const message = `Too many calls: the limit is ${limit} per second.`;
      throw retryLaterError('RATE_LIMITED', message, 1_000);
    }
    this.#latestCalls.set(caller, { second, calls: calls + 1 });
  }

  /** Revokes the token of an `Authorization` header. */
  revoke(header: string): void {
    this.#sessions.delete(header.trim());
  }

  /** Restores the accounts' fixed tokens that a fault revoked. */
  restoreFixedTokens(): void {
    for (const account of this.#accounts) this.#sessions.set(account.token, { account });
  }

  reset(): void {
    this.#sessions.clear();
    this.restoreFixedTokens();
    this.#signIns = 0;
    this.#latestCalls.clear();
  }
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unknownTokenError(token: string): ServiceError {
  const [, scheme] = /^(bearer|token|basic)(?:\s|$)/i.exec(token) ?? [];
  if (scheme === undefined) {
    return new ServiceError('INVALID_TOKEN', 'Unknown token: sign in again.');
  }

  const advice = `Send only the token in the Authorization header, without “${scheme}”.`;
  return new ServiceError('INVALID_TOKEN', advice);
}
