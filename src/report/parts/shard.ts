import { UsageError } from '../../errors.ts';

/** One machine's share of the parts of a run, `K/N`. */
export interface Shard {
  /** K as it was given: 0 and N are the same share. */
  readonly index: number;
  readonly count: number;
}

/**
 * `K/N` of `--shard`. K may count from 0 (Kubernetes' job index) or from 1 (GNU parallel's `{#}`): it is taken modulo
 * N, so any N neighbouring numbers share the parts out whole. Throws `UsageError`.
 */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim());
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || count < 1 || index > count) {
    throw new UsageError(`--shard ${text}: this is no shard.`, {
      hint: 'Give K/N, e.g. 1/4, 2/4, 3/4 and 4/4 on four machines (or 0/4 to 3/4).',
    });
  }
  return { index, count };
}

/** Every N-th part, beginning so that the shards of all K share the parts out without overlap. */
export function takeShard<T>(parts: readonly T[], { index, count }: Shard): T[] {
  return parts.filter((_, position) => position % count === index % count);
}
