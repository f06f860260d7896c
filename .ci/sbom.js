// Writes adreport-VERSION.cdx.json: what npm lists of the locked packages (on standard input),
// without those of which no code is in the bundle. dist/LICENSES.txt, which the build writes, says
// which ones are bundled.
import { readFileSync, writeFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const bundled = readBundledPackages();

const list = JSON.parse(readFileSync(0, 'utf8'));
const components = list.components.filter(isBundled).map(asPartOfPackage);
expectAll(components);

const { component } = list.metadata;
const refs = new Set([component['bom-ref']]);
for (const each of components) refs.add(each['bom-ref']);

const sbom = {
  ...list,
  // npm calls the program by the name of the folder that it is in.
  metadata: { ...list.metadata, component: { ...component, name } },
  components,
  dependencies: list.dependencies.filter(({ ref }) => refs.has(ref)).map(withoutOthers),
};
const file = `${name}-${version}.cdx.json`;
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.error(`Wrote ${file}: ${components.length} bundled packages.`);

/** The packages in the bundle, as `name@version`. */
function readBundledPackages() {
  const text = readFileSync('dist/LICENSES.txt', 'utf8');
  const heads = text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(.*\)$/gm);
  return new Set([...heads].map(([, packageName, itsVersion]) => `${packageName}@${itsVersion}`));
}

function isBundled(one) {
  return bundled.has(`${one.name}@${one.version}`);
}

/**
 * A package of the lock file is there for development; one that is bundled is part of the program.
 */
function asPartOfPackage({ properties, ...one }) {
  return { ...one, scope: 'required' };
}

function withoutOthers({ ref, dependsOn }) {
  return { ref, dependsOn: dependsOn.filter((each) => refs.has(each)) };
}

/**
 * Throws where npm does not know a package that is bundled: a list with a gap would be worse than
 * none.
 */
function expectAll(listed) {
  const known = new Set(listed.map((one) => `${one.name}@${one.version}`));
  const missing = [...bundled].filter((each) => !known.has(each));
  if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}.`);
}
