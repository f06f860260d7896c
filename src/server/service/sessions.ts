import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from '../fixtures/fixtures.ts';
import type { LocalServerOptions } from '../local-server.ts';
import { refuseUntil, ServiceError } from './service-error.ts';

const sessionsAtMost = 10_000;
export type Sessions = ReturnType<typeof createSessions>;

/**
 * Who is signed in, and how often they may call: tokens that live as long as they are used (`decisions.md` 1), and the
 * fixed ones, which never end. What it refuses it throws as `ServiceError`. An edited folder brings other accounts.
 */
export function createSessions(accountsNow: () => readonly Account[], options: LocalServerOptions) {
  const { tokenTtlMs = 2 * 3_600_000, rateLimitPerSecond } = options;
  /** By token, the least recently used first. */
  const sessions = new Map<string, { readonly email: string; readonly lastUsedMs: number }>();
  const revoked = new Set<string>();
  /** When the calls of the last second came, by account or, without one, by peer. */
  const recentCalls = new Map<string, number[]>();

  /** The account of an e-mail address, in any case. */
  function accountOf(email = ''): Account | undefined {
    const wanted = email.trim().toLowerCase();
    return accountsNow().find((account) => account.email.toLowerCase() === wanted);
  }

  return {
    accountOf,
    /** A new token for the right e-mail and password; the same refusal, after the same work, for either being wrong. */
    signIn(email: string, password: string, nowMs: number): string {
      const account = accountOf(email);
      const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
      const isRight = timingSafeEqual(digest(password), digest(account?.password ?? ''));
      if (!account || !isRight) {
        throw new ServiceError(
          'INVALID_CREDENTIALS',
          'No account has this e-mail address and password.',
        );
      }
      const token = randomBytes(20).toString('hex');
      sessions.set(token, { email: account.email, lastUsedMs: nowMs });
      for (const stalest of sessions.keys())
        if (sessions.size > sessionsAtMost) sessions.delete(stalest);
      return token;
    },
    /** The account of a call, by its `Authorization` header; an accepted call extends the token's life. */
    authorize(header: string, nowMs: number): Account {
      const token = header.trim();
      if (token === '') {
        const error = 'Send the token of POST /auth-reporting in the Authorization header.';
        throw new ServiceError('MISSING_TOKEN', error);
      }
      if (revoked.has(token)) {
        throw new ServiceError('INVALID_TOKEN', 'This token is no longer valid: sign in again.');
      }
      const fixed = accountsNow().find((account) => account.token === token);
      if (fixed) return fixed;
      const session = sessions.get(token);
      const account = session && accountOf(session.email);
      if (!session || !account) {
        const [, scheme] = /^(bearer|token|basic)(?:\s|$)/i.exec(token) ?? [];
        const advice = `Send the token alone in the Authorization header, without “${scheme}”.`;
        throw new ServiceError(
          'INVALID_TOKEN',
          scheme ? advice : 'This token is not known: sign in again.',
        );
      }
      if (nowMs - session.lastUsedMs > tokenTtlMs) {
        throw new ServiceError(
          'EXPIRED_TOKEN',
          'This token was not used for too long and has expired: sign in again.',
        );
      }
      sessions.delete(token);
      sessions.set(token, { ...session, lastUsedMs: nowMs });
      return account;
    },
    /** Counts a call of an account or a peer, and refuses it when it is one too many in any second. */
    admit(caller: string, nowMs: number): void {
      if (rateLimitPerSecond === undefined) return;
      const recent = (recentCalls.get(caller) ?? []).filter((time) => nowMs - time < 1_000);
      recentCalls.set(caller, recent);
      if (recent.length < rateLimitPerSecond) return void recent.push(nowMs);
      const error = `At most ${rateLimitPerSecond} calls a second are allowed.`;
      throw refuseUntil('RATE_LIMITED', error, (recent[0] ?? nowMs) + 1_000 - nowMs);
    },
    /** Ends the token of an `Authorization` header, fixed or not. */
    revoke(header: string): void {
      if (revoked.size < sessionsAtMost) revoked.add(header.trim());
    },
    reset(): void {
      for (const part of [sessions, revoked, recentCalls]) part.clear();
    },
  };
}
