import { init, parse } from 'es-module-lexer';

await init;

/**
 * An ES module of the bundle as the body of a CommonJS function. Imports become constants: through the getters that
 * esbuild's own conversion makes, the loops that scan a report's bytes take twice as long. That asks for a bundle without
 * cycles among its files, whose exports do not change once their file has run.
 */
export function toCommonJs(text) {
  if (text.includes('__esm(')) throw new Error('A module that initialises its exports later cannot be converted.');
  const [imports] = parse(text);
  const heads = [];
  let body = '';
  let at = 0;
  for (const { n: from, ss: start, se: end, d: dynamic } of imports) {
    // `import.meta`, or an address that is not known yet.
    if (from === undefined) throw new Error(`What is “${text.slice(start, end)}”?`);
    body += text.slice(at, start);
    at = end;
    if (dynamic < 0) heads.push(asConstants(text.slice(start, end), from));
    else body += `Promise.resolve().then(()=>require(${JSON.stringify(from)}))`;
  }
  body += text.slice(at);
  const code = body
    .replace(/export\{([^}]*)\};?\s*$/, (_, names) => `module.exports={${renamed(names, true)}};`)
    .replace(/export default ([\w$]+\(\));?\s*$/, 'module.exports={default:$1};');
  const [left, exports] = parse(code);
  if (left.length > 0 || exports.length > 0) throw new Error('A module is not converted as a whole.');
  return heads.join('') + code;
}

/** `import{a as b}from"c"` as `const{a:b}=require("c");` */
function asConstants(statement, from) {
  const call = `require(${JSON.stringify(from)});`;
  const [, whole, names] = /^import\s*(?:([\w$]+)|\*\s*as\s+[\w$]+)?\s*,?\s*(?:\{([^}]*)\})?/.exec(statement) ?? [];
  const space = /^import\s*\*\s*as\s+([\w$]+)/.exec(statement)?.[1];
  const binding = whole ?? space;
  return [
    ...(binding ? [`const ${binding}=${call}`] : []),
    ...(names === undefined ? [] : [`const{${renamed(names, false)}}=${call}`]),
    ...(binding || names !== undefined ? [] : [call]),
  ].join('');
}

/** `a as b` as `a:b` of an import, `b:a` of an export. */
function renamed(names, isExport) {
  return names
    .split(',')
    .map((pair) => pair.trim().split(/\s+as\s+/))
    .map(([name, alias = name]) => (isExport ? `${alias}:${name}` : name === alias ? name : `${name}:${alias}`))
    .join(',');
}
