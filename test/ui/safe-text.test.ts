import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeText } from '../../src/ui/safe-text.ts';

const anyText = fc.string({ unit: 'binary' });
const nasty = fc
  .array(
    fc.oneof(
      anyText,
      fc.constantFrom('\u001b[2J', '\u001b[31m', '\u001b]0;title\u0007', '\u009b31m', '\u202e', '\r', '\n'),
    ),
  )
  .map((parts) => parts.join(''));

const steering = /[\p{Bidi_Control}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u;

test('nothing that steers a terminal is left but line breaks', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      expect(safeText(text, false)).not.toMatch(steering);
    }),
  );
});

test('where styling is kept, only our own colours are', () => {
  const ours = new RegExp(`${'\u001b'}\\[(0|1|2|22|3[1236]|39)m`, 'g');
  fc.assert(
    fc.property(nasty, (text) => {
      expect(safeText(text, true).replace(ours, '')).not.toMatch(steering);
    }),
  );
});

test('text that is safe already stays as it is', () => {
  fc.assert(
    fc.property(nasty, fc.boolean(), (text, keepStyling) => {
      const once = safeText(text, keepStyling);
      expect(safeText(once, keepStyling)).toBe(once);
    }),
  );
  expect(safeText('Été “Noël” 雪 🎄\nsecond line', false)).toBe('Été “Noël” 雪 🎄\nsecond line');
});

test('what is hidden elsewhere is shown', () => {
  expect(safeText('\u001b[2J\u001b[8mgone\r', true)).toBe('␛[2J␛[8mgone␍');
  expect(safeText('\u001b[31mred\u001b[39m', false)).toBe('␛[31mred␛[39m');
});
