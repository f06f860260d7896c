import type { Context } from '../../context.ts';
import type { LogoutOptions } from '../logout.ts';

/** Forgets the stored token; the service itself is told nothing, a token ends there by its own life. */
export async function logout(context: Context, _options: LogoutOptions): Promise<void> {
  const { account } = await context.settings();
  const hadToken = await (await context.store()).forgetToken(account.value);
  context.console.note(
    hadToken
      ? `Signed out of account “${account.value}”: its token is forgotten.`
      : `Account “${account.value}” was not signed in.`,
  );
}
