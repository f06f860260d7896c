import type { Page } from 'playwright-core';

/**
 * The texts of a page that stand out from their background by less than 4.5 (WCAG 2.2, AA), with their contrast.
 * Those of controls that are switched off do not count.
 */
export function checkContrasts(page: Page): Promise<string[]> {
  return page.evaluate(script);
}

/** Runs in the page; as text, because the tests are checked without the types of a browser. */
const script = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => {
      const value = part / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    if (text === '' || element.disabled || !element.checkVisibility() || element.closest('script')) continue;
    const [ink, paper] = [parse(getComputedStyle(element).color).slice(0, 3), backgroundOf(element)].map(luminance);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) found.add(element.tagName + ' ' + text.slice(0, 20) + ' ' + contrast.toFixed(2));
  }
  return [...found];
})()`;
