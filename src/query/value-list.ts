/**
 * Splits a list at its commas; a value in double quotes may contain commas, and a doubled quote.
 * `undefined` if the quotes do not pair up.
 */
export function splitValues(list: string): string[] | undefined {
  const values: string[] = [];
  let at = 0;
  while (at <= list.length) {
    const item = quotedItemAt(list, at) ?? bareItemAt(list, at);
    if (!item) return undefined;
    if (item.value !== '') values.push(item.value);
    // Skips the comma.
    at = item.end + 1;
  }
  return values;
}

/** Item of a list; `end` is the place of its comma or of the end. */
interface ListItem {
  readonly value: string;
  readonly end: number;
}

/**
 * Reads the item in double quotes at a place, without blanks around it; `undefined` without quotes.
 */
function quotedItemAt(list: string, start: number): ListItem | undefined {
  const quoted = /\s*"((?:[^"]|"")*)"\s*/y;
  quoted.lastIndex = start;
  const match = quoted.exec(list);
  const end = quoted.lastIndex;
  if (!match || (end < list.length && list[end] !== ',')) return undefined;
  return { value: (match[1] ?? '').replaceAll('""', '"'), end };
}

function bareItemAt(list: string, start: number): ListItem | undefined {
  const comma = list.indexOf(',', start);
  const end = comma === -1 ? list.length : comma;
  const value = list.slice(start, end).trim();
  return value.startsWith('"') ? undefined : { value, end };
}
