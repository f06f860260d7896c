/** The style of the page at `GET /`. */
export const pageStyle = `
:root{color-scheme:light dark;--bg:#fbfbfa;--card:#fff;--ink:#1d1f23;--soft:#666c76;--line:#e4e4e0;--code:#f3f3ef;--mark:#3346d3;--wait:#96610a;--good:#16733f;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--bg:#131418;--card:#1b1d22;--ink:#e9e9ec;--soft:#9aa0ab;--line:#2d3038;--code:#23262d;--mark:#9aa6ff;--wait:#e3b25c;--good:#6bd39a;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:58rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;letter-spacing:-.02em;margin:0;line-height:1.2}
h1 span{color:var(--soft);font-weight:400}
header p,#none{color:var(--soft);margin:.4rem 0 0}
h2{font-size:.8125rem;letter-spacing:.08em;text-transform:uppercase;color:var(--soft);font-weight:600;margin:2.5rem 0 .75rem}
h3{font-size:1rem;margin:0 0 .5rem}
small{font-weight:400;font-size:.8125rem;color:var(--soft)}
a{color:var(--mark)}
code,pre,td:first-child,dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:.75rem}
article,.scroll:has(table:not([hidden])){background:var(--card);border:1px solid var(--line);border-radius:.625rem;padding:1rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.125rem .75rem;margin:0}
dt{color:var(--soft);font-size:.8125rem}
dd{margin:0;overflow-wrap:anywhere;min-width:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.875rem}
table[hidden],ol[hidden],#none[hidden]{display:none}
th,td{text-align:left;padding:.375rem 1rem .375rem 0;white-space:nowrap}
th{color:var(--soft);font-weight:400;font-size:.8125rem}
td{border-top:1px solid var(--line)}
td:last-child{white-space:normal;min-width:8rem}
.s::before{content:"";display:inline-block;width:.5em;height:.5em;border-radius:50%;background:currentColor;margin-right:.5em;vertical-align:.1em}
.progress{color:var(--wait)}.ready{color:var(--good)}.failed,.expired{color:var(--bad)}
.progress::before{animation:pulse 1.2s ease-in-out infinite}
@keyframes pulse{50%{opacity:.25}}
@media(prefers-reduced-motion:reduce){.progress::before{animation:none}}
.pick{display:flex;flex-wrap:wrap;gap:.375rem;margin:0 0 1rem}
button{font:inherit;font-size:.8125rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:.375rem;padding:.25rem .75rem;cursor:pointer}
button:hover{border-color:var(--soft)}
button[aria-pressed=true]{background:var(--ink);border-color:var(--ink);color:var(--bg)}
:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
ol{list-style:none;margin:0;padding:0}
li{margin:0 0 1.25rem}
li p{margin:0 0 .375rem}
li p span{color:var(--soft)}
li b{font-size:.75rem;color:var(--mark);letter-spacing:.04em}
.line{display:flex;align-items:flex-start;gap:.5rem;background:var(--code);border-radius:.5rem;padding:.625rem .625rem .625rem .875rem}
pre{margin:0;flex:1;min-width:0;white-space:pre-wrap;overflow-wrap:anywhere}
.copy{flex:none;min-width:4.5rem}
@media(max-width:30rem){main{padding-top:1.5rem}.line{flex-direction:column}}
`;
