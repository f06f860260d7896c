/**
 * The style of a page: text in the reader's own fonts, one colour for data, five for lines, the rest greys. Contrasts
 * are AA in both themes. Paper is light, whatever the screen is.
 */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#f7f7f5;--card:#fff;--ink:#1a1c20;--soft:#5c626c;--line:#e3e3df;--grid:#ecece8;--data:#2f5fc4;--tint:#2f5fc41f;--head:#fbfbfa;--hover:#f3f5fa;--s1:#c2410c;--s2:#0f766e;--s3:#9333ea;--s4:#8a6d00}
@media screen and (prefers-color-scheme:dark){:root{--bg:#111215;--card:#191b1f;--ink:#ececef;--soft:#a2a8b3;--line:#2c2f36;--grid:#25282e;--data:#7ea4f8;--tint:#7ea4f829;--head:#1e2025;--hover:#22252c;--s1:#fb923c;--s2:#2dd4bf;--s3:#c084fc;--s4:#e0c040}}
*{box-sizing:border-box}[hidden]{display:none!important}html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:80rem;margin:0 auto;padding:3rem 1.5rem 4rem}h1{font-size:1.875rem;line-height:1.2;letter-spacing:-.02em;font-weight:650;margin:0 0 .5rem}header p{margin:0;color:var(--soft)}
header p span+span::before{content:"·";margin:0 .25rem 0 .0625rem}h2{font-size:1.125rem;letter-spacing:-.01em;font-weight:620;margin:0}section{margin-top:2.5rem}
section>h2{margin-bottom:.875rem}h3{font-size:.9375rem;font-weight:600;margin:0 0 .875rem}h3::first-letter{text-transform:uppercase}
small{font-size:.8125rem;color:var(--soft);font-weight:400}
.notice{margin:1.5rem 0 0;padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-left:3px solid var(--data);border-radius:.375rem}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin-bottom:.875rem}.by{margin:0;color:var(--soft);font-size:.875rem}.by b{font-weight:600;color:var(--ink)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.75rem;margin:0}
.cards div,figure,.bars,.scroll{background:var(--card);border:1px solid var(--line);border-radius:.625rem}.cards div{padding:.875rem 1rem .8125rem;min-width:0}
.more{grid-template-columns:repeat(4,1fr);margin-top:.75rem}dt{color:var(--soft);font-size:.8125rem}
dd{margin:.125rem 0 0;font-size:1.625rem;font-weight:620;letter-spacing:-.015em;line-height:2.125rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}.more dd{font-size:1.0625rem;line-height:1.5rem}dd.long{font-size:1.25rem}
.more dd.long{font-size:.9375rem}dd.change,.more dd.change{font-size:.8125rem;font-weight:400;letter-spacing:0;line-height:1.35;color:var(--soft);white-space:normal}
.charts,.ranks{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:.75rem}.ranks{grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}
details{margin-top:.75rem}summary{cursor:pointer;color:var(--soft);font-size:.875rem;margin-bottom:.75rem}figure,.bars{margin:0;padding:1rem 1.125rem;min-width:0}
figure{position:relative}figure.wide{margin-bottom:.75rem}figcaption{color:var(--soft);font-size:.8125rem;margin-bottom:.75rem}figcaption b{color:var(--ink);font-size:.9375rem;font-weight:600;margin-right:.125rem}
.plot{display:grid;grid-template:100%/auto 1fr;gap:.5rem;height:8.5rem}.wide .plot{height:13rem}
.y{display:flex;flex-direction:column;justify-content:space-between;text-align:right;color:var(--soft);font-size:.75rem;line-height:1;margin:-.375rem 0;min-width:2.25rem}
.plot svg{display:block;width:100%;height:100%;overflow:visible;touch-action:pan-y}
.x{display:flex;justify-content:space-between;gap:.5rem;margin:.5rem 0 0 2.75rem;color:var(--soft);font-size:.75rem;line-height:1.3}.x.one{justify-content:center}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.75rem 0 0;font-size:.8125rem}
.legend b{display:inline-block;width:.875rem;border-top:.1875rem solid;vertical-align:middle;margin-right:.375rem}
.grid,.zero{stroke:var(--grid);stroke-width:1;vector-effect:non-scaling-stroke}.zero{stroke:var(--line)}.column{fill:var(--data)}
.line{fill:none;stroke:var(--data);stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.s1{stroke:var(--s1)}.s2{stroke:var(--s2)}.s3{stroke:var(--s3)}.s4{stroke:var(--s4)}.k0{color:var(--data)}.k1{color:var(--s1)}.k2{color:var(--s2)}.k3{color:var(--s3)}.k4{color:var(--s4)}
.area{fill:var(--tint)}
.plot svg,.slots{grid-area:1/2}.slots{display:flex}.slots i{flex:1}.slots i:hover{background:color-mix(in srgb,var(--ink) 16%,transparent)}
.slots i:hover::after{content:attr(data-v);position:absolute;right:1rem;bottom:calc(100% - 2.75rem);max-width:calc(100% - 2rem);pointer-events:none;background:var(--ink);color:var(--bg);border-radius:.375rem;padding:.3125rem .625rem;font-size:.8125rem;font-style:normal;line-height:1.35;white-space:pre-wrap;text-align:right;z-index:3}
ol{list-style:none;margin:0;padding:0;display:grid;gap:.6875rem}
li{display:grid;grid-template-columns:minmax(0,1fr) auto auto;gap:.25rem 1rem;font-size:.875rem;line-height:1.35}li>span:first-child{display:flex;gap:.5rem;align-items:baseline;min-width:0}
li i{font-style:normal;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}li i+small{flex:none;max-width:60%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.n small{margin-left:.25rem;display:inline-block;min-width:3.25rem;text-align:right}small.change{min-width:4.5rem;text-align:right}
li svg{grid-column:1/-1;display:block;width:100%;height:.375rem;border-radius:.1875rem;background:var(--grid)}li rect{fill:var(--data)}.rest,.none{color:var(--soft)}
.tools{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .875rem;margin-left:auto;font-size:.875rem;color:var(--soft)}
input,button{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:.375rem}
input{padding:.3125rem .625rem;width:15rem;max-width:100%;margin-left:.25rem}input::placeholder{color:var(--soft);opacity:1}
.pager{display:inline-flex;gap:.25rem}.pager button{width:2.125rem;height:2.125rem;line-height:1;font-size:1.125rem;cursor:pointer}button:disabled{opacity:.4;cursor:default}
:focus-visible{outline:2px solid var(--data);outline-offset:2px}.scroll{overflow:auto;max-height:82vh;position:relative}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.78125rem;line-height:1.4}
th,td{padding:.4375rem .375rem;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line);overflow-wrap:normal}th{white-space:normal;vertical-align:bottom}
td:not(.n,.k){max-width:14rem;overflow:hidden;text-overflow:ellipsis}.n{text-align:right;white-space:nowrap}th.n{white-space:normal}
th{position:sticky;top:0;background:var(--head);font-weight:600;z-index:1}th:has(button){padding:0}
th button{display:block;width:100%;border:0;border-radius:0;background:none;padding:.4375rem .375rem;font-weight:600;text-align:inherit;cursor:pointer}
th button::after{position:absolute;margin-left:.125em;color:var(--data)}th[aria-sort=ascending] button::after{content:"↑"}th[aria-sort=descending] button::after{content:"↓"}
th button:focus-visible{outline-offset:-2px}th button:hover,tbody tr:hover td{background:var(--hover)}tbody tr:last-child td{border-bottom:0}
tfoot td{position:sticky;bottom:0;background:var(--head);font-weight:600;border-top:1px solid var(--line);border-bottom:0}#more{margin:.75rem 0 0;color:var(--soft);font-size:.875rem}
@media screen{.paper{display:none}}
@media(max-width:40rem){main{padding:1.75rem 1rem 3rem}h1{font-size:1.5rem}section{margin-top:2rem}.cards,.more{grid-template-columns:repeat(auto-fill,minmax(min(100%,max(9rem,40%)),1fr));gap:.5rem}dd,dd.long{font-size:1.0625rem;line-height:1.75rem}.plot{height:6.5rem}.wide .plot{height:9rem}.tools{margin-left:0;width:100%}.tools label{display:flex;align-items:center;width:100%}input{flex:1;min-width:0;width:auto}#count{flex:1}}
@page{size:A4 landscape;margin:12mm}
@media print{:root{color-scheme:light;--bg:#fff}body{font-size:11px}main{max-width:none;padding:0}section{margin-top:1.5rem}.cards{grid-template-columns:repeat(4,1fr)}.more{grid-template-columns:repeat(8,1fr)}.more div{padding:.5rem}.more dd,.more dd.long{font-size:.75rem;white-space:nowrap}.cards:not(.more) dd:not(.change){font-size:1.125rem;line-height:1.4}.charts,.ranks{grid-template-columns:repeat(2,1fr)}.ranks :only-child{grid-column:1/-1}.plot{height:6rem}.wide .plot{height:9rem}.cards div,figure,.bars,li,tr{break-inside:avoid}h2,.head{break-after:avoid}.tools,.slots,details:not([open]){display:none!important}.scroll{overflow:visible;max-height:none;border:0;border-radius:0}th,td,tfoot td,th button{position:static;padding:.25rem .375rem;white-space:normal}th:has(button){padding:0}td.n,td.k{white-space:nowrap}thead{display:table-header-group}th button{display:contents}tfoot{display:table-row-group}table{font-size:.6875rem}td:not(.n,.k){max-width:none;overflow-wrap:anywhere}tr:hover td{background:none!important}li i,li i+small{white-space:normal;overflow:visible}}
`;
