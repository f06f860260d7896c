/** A field of RFC 4180, in quotes where it needs them; an empty text needs them to be told from null. */
export function csvField(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
