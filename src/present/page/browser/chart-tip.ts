/** Shows the values of a chart's slot next to the pointer. */
export function showChartTips(): void {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);

  const show = ({ target, clientY }: PointerEvent): void => {
    tip.hidden = true;
    const slot = target instanceof Element ? target.closest<HTMLElement>('.slots i') : null;
    if (!slot) return;

    tip.replaceChildren(...tipLines(slot));
    tip.hidden = false;
    placeTip(tip, slot, clientY);
  };
  addEventListener('pointermove', show);
  addEventListener('pointerdown', show);
  const hide = (): void => {
    tip.hidden = true;
  };
  addEventListener('scroll', hide, true);
}

/** The lines of a slot: its label, then each value with the color and name of its series. */
function tipLines(slot: HTMLElement): HTMLElement[] {
  const [label = '', ...values] = (slot.dataset.v ?? '').split('\n');
  const name = document.createElement('strong');
  name.textContent = label;

  const legend = slot.closest('figure')?.querySelectorAll('.legend > span') ?? [];
  const lines = values.map((value, i) => {
    const line = document.createElement('div');
    const series = legend[i]?.cloneNode(true);
    if (series) line.append(series, ': ');
    line.append(value);
    return line;
  });
  return [name, ...lines];
}

/** Distances in pixels to the slot and to the edges of the window. */
const distance = 8;
const margin = 4;

/** Places the tip to the right of the slot, or to its left if there is no room. */
function placeTip(tip: HTMLElement, slot: HTMLElement, pointerY: number): void {
  const { left, right } = slot.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const hasRoom = right + distance + width < document.documentElement.clientWidth;
  const x = hasRoom ? right + distance : left - distance - width;
  const y = Math.min(pointerY - height / 2, innerHeight - height - margin);
  tip.style.left = `${Math.max(margin, x)}px`;
  tip.style.top = `${Math.max(margin, y)}px`;
}
