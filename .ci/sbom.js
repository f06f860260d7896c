// Writes adreport-VERSION.cdx.json: npm's list of locked packages (on standard input), reduced to
// the bundled ones, which are those in dist/LICENSES.txt.
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
  // npm uses the name of the folder for the program.
  metadata: { ...list.metadata, component: { ...component, name } },
  components,
  dependencies: list.dependencies.filter(({ ref }) => refs.has(ref)).map(withoutOthers),
};
const file = `${name}-${version}.cdx.json`;
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.error(`Wrote ${file}: ${components.length} bundled packages.`);

/** The bundled packages, as `name@version`. */
function readBundledPackages() {
  const text = readFileSync('dist/LICENSES.txt', 'utf8');
  const heads = text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(.*\)$/gm);
  return new Set([...heads].map(([, packageName, itsVersion]) => `${packageName}@${itsVersion}`));
}

function isBundled(one) {
  return bundled.has(`${one.name}@${one.version}`);
}

/** Marks a bundled package as part of the program; in the lock file it is a development package. */
function asPartOfPackage({ properties, ...one }) {
  return { ...one, scope: 'required' };
}

function withoutOthers({ ref, dependsOn }) {
  return { ref, dependsOn: dependsOn.filter((each) => refs.has(each)) };
}

/** Throws if npm does not list a bundled package, so that the list is never incomplete. */
function expectAll(listed) {
  const known = new Set(listed.map((one) => `${one.name}@${one.version}`));
  const missing = [...bundled].filter((each) => !known.has(each));
  if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}.`);
}
