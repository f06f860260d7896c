import fc from 'fast-check';

/**
 * Any character of Unicode, half of them Latin or controls. `unit: 'binary'` draws the same from a
 * table of a million strings, which takes a second and 100 MB.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0x2ff), fc.nat(0x10f7ff))
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));
