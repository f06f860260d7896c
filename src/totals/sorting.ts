/** Orders by a value; items without one come last, whichever way others go. */
export function byValue<Item, Value>(
  readValue: (item: Item) => Value | undefined,
  compare: (one: Value, other: Value) => number,
): (one: Item, other: Item) => number {
  return (a, b) => {
    const one = readValue(a);
    const other = readValue(b);
    if (one !== undefined && other !== undefined) return compare(one, other);
    return Number(one === undefined) - Number(other === undefined);
  };
}

/** Created on first use: it takes longer than the rest of a small table. */
let collator: Intl.Collator | undefined;

/** Sorts names as people do, with digits as numbers. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}
