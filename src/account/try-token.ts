import type { Client } from '../api/client.ts';
import { AdreportError, isForbidden } from '../errors.ts';
import { formatPlural } from '../text/quantity.ts';

/** Result of a call with a token that was not refused. */
export interface TokenTrial {
  /** Number of campaigns: `3 campaigns`. */
  readonly campaigns?: string;

  /** Why the campaigns could not be listed. The token may be valid anyway. */
  readonly doubt?: AdreportError;
}

/**
 * Tries a client's token with the cheapest call. Throws the errors of the client's `campaigns`.
 *
 * @param mayLackList true to doubt a token that gets 404 (`decisions.md` 6)
 */
export async function tryToken(client: Client, mayLackList = false): Promise<TokenTrial> {
  try {
    const { campaigns } = await client.campaigns();
    return { campaigns: formatPlural(campaigns.length, 'campaign') };
  } catch (error) {
    const lacksList = mayLackList && error instanceof AdreportError && error.httpStatus === 404;
    if (isForbidden(error) || lacksList) return { doubt: error };
    throw error;
  }
}
