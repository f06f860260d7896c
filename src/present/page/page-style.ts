/**
 * Style sheet of a page: one color for data, five for lines, the rest gray. Contrasts are AA (WCAG)
 * in both themes. Print is always light.
 */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --bg: #f7f7f5; --card: #fff; --ink: #1a1c20; --soft: #5c626c; --line: #e3e3df; --grid: #ecece8;
  --data: #2f5fc4; --tint: #2f5fc41f; --head: #fbfbfa; --hover: #f3f5fa;
  --up: #15703c; --down: #b42318;
  --s1: #c2410c; --s2: #0f766e; --s3: #9333ea; --s4: #8a6d00; --past: #9aa5b8;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --bg: #111215; --card: #191b1f; --ink: #ececef; --soft: #a2a8b3; --line: #2c2f36; --grid: #25282e;
    --data: #7ea4f8; --tint: #7ea4f829; --head: #1e2025; --hover: #22252c;
    --up: #4ade80; --down: #fca5a5;
    --s1: #fb923c; --s2: #2dd4bf; --s3: #c084fc; --s4: #e0c040; --past: #6b7486;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--bg); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
main { max-width: 80rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
h1 { font-size: 1.875rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 650; margin: 0 0 .5rem; }
h2 { font-size: 1.125rem; letter-spacing: -.01em; font-weight: 620; margin: 0; }
h3 { font-size: .9375rem; font-weight: 600; margin: 0 0 .875rem; }
h3::first-letter { text-transform: uppercase; }
header p { margin: 0; color: var(--soft); }
header a { color: var(--down); font-weight: 600; }
header .sender-note { margin: 1rem 0 0; max-width: 48rem; color: var(--ink); }
header p span + span::before { content: "·"; margin: 0 .25rem 0 .0625rem; }
header .headline { margin: 1rem 0 0; font-size: 1.25rem; line-height: 1.4; color: var(--ink); }
header .small { margin-top: .25rem; font-size: .8125rem; }
.bars .by, figure .by { margin-top: .75rem; }
section { margin-top: 2.5rem; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .8125rem; }
footer h2 { font-size: .9375rem; margin-bottom: .375rem; }
footer p { margin: 0 0 .25rem; }
footer .warning { color: var(--down); font-weight: 600; }
footer dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .125rem 1rem; margin: 0; }
footer dd { margin: 0; font-size: inherit; font-weight: 400; letter-spacing: 0; line-height: inherit; white-space: normal; }
.empty { margin: 2rem 0 0; font-size: 1.0625rem; max-width: 44rem; }
small { font-size: .8125rem; color: var(--soft); font-weight: 400; }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin-bottom: .875rem; }
.by { margin: 0; color: var(--soft); font-size: .875rem; }
.by b { font-weight: 600; color: var(--ink); }

/* Changes: arrows show the direction, colors repeat it. */
.up { color: var(--up); font-weight: 600; }
.down { color: var(--down); font-weight: 600; }
.same, .new { font-weight: 400; color: var(--soft); }

/* Cards are equal cells of one grid. */
.cards { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .75rem; margin: 0; }
.cards > div {
  min-width: 0; padding: .875rem 1rem .8125rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .625rem;
}
.in5 { grid-template-columns: repeat(5, minmax(0, 1fr)); }
.in3 { grid-template-columns: repeat(3, minmax(0, 1fr)); }
.in2 { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.in1 { grid-template-columns: minmax(0, 1fr); }
dt { color: var(--soft); font-size: .8125rem; }
dd {
  margin: .125rem 0 0; font-size: 1.625rem; font-weight: 620; letter-spacing: -.015em; line-height: 2.125rem;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
}
:where(.cards:has(.long)) dd { font-size: 1.25rem; }
dd.change.change {
  font-size: .8125rem; font-weight: 400; letter-spacing: 0; line-height: 1.35; color: var(--soft); white-space: normal;
}

dd.change b { margin-right: .375rem; }
dd.change span { white-space: nowrap; }

/* Charts over time. */
figure, .bars, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: .625rem; }
figure, .bars { margin: 0; padding: 1rem 1.125rem; min-width: 0; }
figure.wide { margin-bottom: .75rem; }
figcaption { color: var(--soft); font-size: .8125rem; margin-bottom: .75rem; }
figcaption b { color: var(--ink); font-size: .9375rem; font-weight: 600; margin-right: .125rem; }
.charts, .ranks { display: grid; gap: .75rem; align-items: start; }
.charts { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
.ranks { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.plot { display: grid; grid-template: 8.5rem 1.375rem / auto minmax(0, 1fr); gap: 0 .5rem; }
.wide .plot { grid-template-rows: 13rem 1.375rem; }
.y {
  display: flex; flex-direction: column; justify-content: space-between; text-align: right;
  color: var(--soft); font-size: .75rem; line-height: 1; margin: -.375rem 0; min-width: 2.25rem;
}
.plot svg { display: block; width: 100%; height: 100%; overflow: visible; }
.plot svg, .slots { grid-area: 1 / 2; }
.plot .x { grid-area: 2 / 2; }
.x text { fill: var(--soft); font-size: .75rem; text-anchor: middle; }
.x line { stroke: var(--line); }
.slots { display: flex; touch-action: pan-y; }
.slots i { flex: 1; }
.slots i:hover { background: color-mix(in srgb, var(--ink) 12%, transparent); }
.grid, .zero { stroke: var(--grid); stroke-width: 1; vector-effect: non-scaling-stroke; }
.zero { stroke: var(--line); }
.line, .before {
  fill: none; stroke: var(--data); stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round;
  vector-effect: non-scaling-stroke;
}
.before { stroke: var(--past); stroke-width: 1.5; }
.area { fill: var(--tint); }
/* Lines that overlap also differ in their dashes. */
.s1 { stroke: var(--s1); stroke-dasharray: 8 4; } .s2 { stroke: var(--s2); stroke-dasharray: 2 4; }
.s3 { stroke: var(--s3); stroke-dasharray: 10 4 2 4; } .s4 { stroke: var(--s4); stroke-dasharray: 5 3; }
.legend > span { display: inline-flex; align-items: center; min-width: 0; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0 0; font-size: .8125rem; }
.key { display: inline-block; width: 1.5rem; height: .5rem; vertical-align: middle; margin-right: .375rem; overflow: visible; }
.tip .key { width: 1.25rem; }
.tip {
  position: fixed; z-index: 3; pointer-events: none; max-width: min(30rem, 90vw); padding: .4375rem .625rem;
  background: var(--card); color: var(--ink); border: 1px solid var(--line); border-radius: .375rem;
  box-shadow: 0 2px 10px #0003; font-size: .8125rem; line-height: 1.4;
}
.tip strong { display: block; font-weight: 600; }
.tip div { display: flex; justify-content: space-between; gap: 1.25rem; }
.tip div > :last-child { margin-left: auto; white-space: nowrap; }

/* Rankings. */
ol {
  list-style: none; margin: 0; padding: 0; display: grid; gap: .6875rem 1rem;
  grid-template-columns: minmax(0, 1fr) max-content max-content;
}
ol.compared { grid-template-columns: minmax(0, 1fr) max-content max-content max-content; }
li { display: grid; grid-column: 1 / -1; grid-template-columns: subgrid; row-gap: .25rem; font-size: .875rem; line-height: 1.35; }
li > span:first-child { min-width: 0; }
li > small { text-align: right; }
li svg { grid-column: 1 / -1; display: block; width: 100%; height: .375rem; border-radius: .1875rem; background: var(--grid); }
li rect { fill: var(--data); }
.rest, .none { color: var(--soft); }

/* A single chart has name, bar and numbers on one line. */
@media (min-width: 48.01rem), print {
  .single ol { grid-template-columns: fit-content(30rem) minmax(6rem, 1fr) max-content max-content; gap: .5625rem 1rem; }
  .single ol.compared {
    grid-template-columns: fit-content(30rem) minmax(6rem, 1fr) max-content max-content max-content; gap: .5625rem 1rem;
  }
  .single li > span:first-child { grid-column: 1; }
  .single li svg { grid-area: 1 / 2; align-self: center; height: .75rem; }
  .single li .n { grid-column: 3; }
}

/* The table. */
button { font: inherit; color: var(--ink); background: none; border: 0; }
:focus-visible { outline: 2px solid var(--data); outline-offset: 2px; }
.rows h2 { margin-bottom: .875rem; }
@media screen { .scroll { overflow-x: auto; } }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .8125rem; line-height: 1.4; }
.broad { font-size: .75rem; }
th, td { padding: .4375rem .5rem; text-align: left; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
.broad :is(th, td) { padding-inline: .3125rem; }
th { vertical-align: bottom; background: var(--head); font-weight: 600; }
td { vertical-align: top; }
/* Names wrap between their parts. */
td.t { min-width: 7rem; max-width: 24rem; }
td.t.first { min-width: 12rem; }
td.k { white-space: nowrap; }
.n { text-align: right; }
td.n { white-space: nowrap; }
/* A change stands below its metric. */
td.n b { display: block; font-size: .6875rem; }
.rest, .none { color: var(--soft); }
th:has(button) { padding: 0; }
th button {
  display: block; width: 100%; padding: .4375rem .5rem; font-weight: 600; text-align: inherit; cursor: pointer;
}
.broad th button { padding-inline: .3125rem; }
th button::after { margin-left: .25em; color: var(--data); }
th[aria-sort=ascending] button::after { content: "↑"; }
th[aria-sort=descending] button::after { content: "↓"; }
th button:focus-visible { outline-offset: -2px; }
th button:hover, tbody tr:hover td { background: var(--hover); }
tbody tr:last-child td { border-bottom: 0; }
tfoot td { border-top: 1px solid var(--line); border-bottom: 0; }
.total td { background: var(--head); font-weight: 600; }

/* Phones: two cards per row, bars below their names, and large touch targets. */
@media (max-width: 40rem) {
  main { padding: 1.75rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  section { margin-top: 2rem; }
  .cards.cards { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .cards > div { padding: .75rem .875rem; }
  dd, dd.long { font-size: 1.0625rem; line-height: 1.75rem; }
  dd.change span { display: block; }
  .plot { grid-template-rows: 6.5rem 1.375rem; }
  .wide .plot { grid-template-rows: 9rem 1.375rem; }
  /* Names stay visible while metrics scroll. */
  th.first, td.first { position: sticky; left: 0; z-index: 1; background: var(--card); border-right: 1px solid var(--line); }
  td.t.first { min-width: 9rem; max-width: 9rem; overflow-wrap: anywhere; }
  th.first, .total td.first { background: var(--head); }
  ol, ol.compared { grid-template-columns: max-content max-content minmax(0, 1fr); gap: 1rem .75rem; }
  li > span:first-child { grid-column: 1 / -1; }
  li .n { text-align: left; }
  footer dl { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 30rem) {
  /* Every second of the labels below an axis fits. */
  .x:has(text:nth-of-type(7)) text:nth-of-type(even) { display: none; }
}
@media (max-width: 40rem), (pointer: coarse) { th button { min-height: 2.75rem; min-width: 2.75rem; } }

/* Print is always light, on A4. A wide table turns the paper. */
@page { size: A4; margin: 11mm 12mm 13mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #5c626c; } }
@page across { size: A4 landscape; }
@media print {
  :root { color-scheme: light; --bg: #fff; }
  body:has(.broad) { page: across; }
  body { font-size: 9px; line-height: 1.35; }
  /* A border at the edge of the paper would be cut off. */
  main { max-width: none; padding: 0 1px; }
  h1 { font-size: 1.125rem; margin-bottom: .125rem; }
  h2 { font-size: .8125rem; }
  h3 { font-size: .6875rem; margin-bottom: .25rem; }
  small, dt, figcaption, .by, .legend, header .small { font-size: .5625rem; }
  header .headline { margin-top: .375rem; font-size: .875rem; }
  header .sender-note { margin-top: .375rem; font-size: .625rem; }
  section { margin-top: .5rem; }
  .head, .rows h2 { margin-bottom: .25rem; }
  .cards.cards { grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: .25rem; }
  .cards > div { padding: .25rem .4375rem; border-radius: .25rem; }
  .cards dd, .cards dd.long { font-size: .8125rem; line-height: 1.3; }
  .cards.cards dd.change { font-size: .5625rem; }
  .charts { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .25rem; }
  .ranks { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .25rem; }
  .ranks :only-child { grid-column: 1 / -1; }
  figure, .bars { padding: .3125rem .5rem; border-radius: .25rem; }
  figure.wide { margin-bottom: .25rem; }
  figcaption { margin-bottom: .5rem; }
  figcaption b { font-size: .625rem; }
  .plot { grid-template-rows: 2.75rem 1rem; }
  .wide .plot { grid-template-rows: 5rem 1rem; }
  .legend { margin-top: .25rem; gap: .0625rem .75rem; }
  .y, .x text { font-size: .5rem; }
  .x text { transform: translateY(-.25rem); }
  ol, ol.compared { gap: .1875rem .625rem; }
  .single ol, .single ol.compared { gap: .0625rem .625rem; }
  .single li svg { height: .375rem; }
  .bars .by, figure .by { margin-top: .1875rem; }
  li { font-size: .625rem; row-gap: .0625rem; }
  li svg { height: .1875rem; }
  body:has(.broad) .charts { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  .cards div, figure, .bars, li, tr { break-inside: avoid; }
  h2, h3, .head, thead { break-after: avoid; }
  .slots, .tip { display: none; }
  .scroll { border: 0; border-radius: 0; }
  table, .broad { font-size: .5625rem; line-height: 1.3; }
  th, td, .broad :is(th, td) { padding: .125rem .25rem; }
  th button { display: contents; }
  th:has(button) { padding: .125rem .25rem; }
  td.n b { font-size: .5rem; }
  .broad td.n b { display: inline; margin-left: .25rem; }
  tbody tr:last-child td { border-bottom: 1px solid var(--line); }
  thead { display: table-header-group; }
  /* The rows of several breakdowns would fill many sheets. */
  .rows ~ .rows { display: none; }
  /* The totals are printed once, at the end. */
  tfoot { display: table-row-group; break-before: avoid; }
  tr:hover td { background: none !important; }
  footer { margin-top: .5rem; padding-top: .25rem; font-size: .5625rem; break-inside: avoid; }
  footer h2 { font-size: .625rem; margin-bottom: .125rem; }
}
`;
