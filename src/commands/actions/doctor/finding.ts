import { AdreportError } from '../../../errors.ts';

/** What one check came to. */
export interface Finding {
  /** What was checked: one word, or several with hyphens. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'broken';
  readonly message: string;
  /** What to do about it; absent where all is well. */
  readonly fix?: string;
  /** What a command would end with because of it; present where something is broken. */
  readonly exitCode?: number;
}

/** All is well. */
export function fine(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

/** A warning: commands work, but perhaps not as wanted. */
export function odd(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix };
}

/** The finding for the error with which a command would end; rethrows what is none of ours. */
export function broken(check: string, error: unknown): Finding {
  if (!(error instanceof AdreportError)) throw error;
  const { message, hint = 'See adreport help exit-codes.', exitCode } = error;
  return { check, status: 'broken', message, fix: hint, exitCode };
}
