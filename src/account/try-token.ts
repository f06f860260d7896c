import type { Client } from '../api/client.ts';
import { AdreportError, isForbidden } from '../errors.ts';
import { formatPlural } from '../text/quantity.ts';

/** Result of checking a token that was not refused. */
export interface TokenTrial {
  /** Formatted count: `3 campaigns`. */
  readonly campaigns?: string;

  /** Why the campaigns could not be listed. The token may still be valid. */
  readonly warning?: AdreportError;
}

/**
 * Checks a client's token with the cheapest call. Rejects like `client.campaigns()`.
 *
 * @param allow404 whether a 404 is only a warning, because some accounts cannot list campaigns
 * (`decisions.md` 6)
 */
export async function tryToken(client: Client, allow404 = false): Promise<TokenTrial> {
  try {
    const { campaigns } = await client.campaigns();
    return { campaigns: formatPlural(campaigns.length, 'campaign') };
  } catch (error) {
    const lacksList = allow404 && error instanceof AdreportError && error.httpStatus === 404;
    if (isForbidden(error) || lacksList) return { warning: error };
    throw error;
  }
}
