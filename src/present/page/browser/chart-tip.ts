/** Shows the values at the pointer in a tip above the chart, so that no line is covered. */
export function showChartTips(): void {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);

  const show = ({ target }: PointerEvent): void => {
    tip.hidden = true;
    const slot = target instanceof Element ? target.closest<HTMLElement>('.slots i') : null;
    if (!slot) return;

    tip.replaceChildren(...buildTipLines(slot));
    tip.hidden = false;
    positionTip(tip, slot);
  };
  addEventListener('pointermove', show);
  addEventListener('pointerdown', show);
  const hide = (): void => {
    tip.hidden = true;
  };
  addEventListener('scroll', hide, true);
}

/** Builds the label of a slot, and a line per value with the color and name of its series. */
function buildTipLines(slot: HTMLElement): HTMLElement[] {
  const [label = '', ...values] = (slot.dataset.v ?? '').split('\n');
  const name = document.createElement('strong');
  name.textContent = label;

  const legend = slot.closest('figure')?.querySelectorAll('.legend > span') ?? [];
  const lines = values.map((value, i) => {
    const line = document.createElement('div');
    const series = legend[i]?.cloneNode(true);
    if (series) line.append(series);
    const number = document.createElement('span');
    number.textContent = value;
    line.append(number);
    return line;
  });
  return [name, ...lines];
}

/** Distances in pixels from the chart, and from the edges of the browser window. */
const distance = 6;
const margin = 4;

/** Puts the tip above the slot, or below it if there is no room. */
function positionTip(tip: HTMLElement, slot: HTMLElement): void {
  const { left, right, top, bottom } = slot.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const above = top - distance - height;
  const x = Math.min(
    (left + right - width) / 2,
    document.documentElement.clientWidth - width - margin,
  );
  tip.style.left = `${Math.max(margin, x)}px`;
  tip.style.top = `${above < margin ? bottom + distance : above}px`;
}
