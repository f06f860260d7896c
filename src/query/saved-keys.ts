import { type Flag, isNegation, longNameOf } from './flags/flag.ts';
import { runFlags } from './flags/run-flags.ts';

/** Flag behind a key of a saved report. */
export interface SavedKey {
  readonly flag: Flag;

  /** Option name, such as `baseUrl`. */
  readonly option: string;

  /** True for a negative key: `no-history: true`. */
  readonly turnsOff: boolean;
}

/** Builds the keys of saved reports. A negative flag has a positive key too. */
export function savedKeyTable(): ReadonlyMap<string, SavedKey> {
  const keys = new Map<string, SavedKey>();

  for (const { flags } of runFlags) {
    for (const [option, flag] of Object.entries<Flag>(flags)) {
      if (flag.isNeverSaved) continue;

      const key = longNameOf(flag).slice('--'.length);
      keys.set(key, { flag, option, turnsOff: isNegation(flag) });
      if (isNegation(flag)) keys.set(option, { flag, option, turnsOff: false });
    }
  }
  return keys;
}

export function savedKeys(): string[] {
  return [...savedKeyTable().keys()];
}
