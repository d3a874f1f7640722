/**
 * The arrows. Between packages: apps -> admin, console, ops, cli -> http -> eventbus -> ledger, outgoing-http, privacy,
 * secrets, runtime, migrations. Between the folders of a package: from a later folder of its list to an earlier one.
 */

const TEST_CODE = '[.](?:e2e-)?spec[.]ts$|^test/|^(?:libs|apps)/[^/]+/test/|/fixtures/';
const OURS = '^(?:apps|libs|migrations|test|tools|bench)/';

/** Packages of ours that each package may import. */
export const MAY_IMPORT = {
  'kernel-privacy': [],
  'kernel-secrets': [],
  'kernel-inbox': [],
  'kernel-runtime': [],
  'kernel-outgoing-http': [],
  'kernel-ledger': ['kernel-runtime'],
  'kernel-eventbus': [
    'kernel-ledger',
    'kernel-outgoing-http',
    'kernel-privacy',
    'kernel-runtime',
    'kernel-secrets',
    'migrations',
  ],
  'kernel-http': ['kernel-eventbus', 'kernel-privacy', 'kernel-runtime', 'kernel-secrets'],
  'kernel-eventbus-admin': [
    'kernel-eventbus',
    'kernel-http',
    'kernel-ledger',
    'kernel-privacy',
    'kernel-runtime',
    'kernel-secrets',
  ],
  'kernel-eventbus-console': [],
  'kernel-app': ['kernel-eventbus', 'kernel-http'],
  'kernel-eventbus-ops': ['kernel-eventbus', 'kernel-ledger', 'kernel-runtime'],
  'kernel-eventbus-cli': ['kernel-eventbus'],
  'kernel-eventbus-kafka': ['kernel-eventbus'],
  'kernel-eventbus-nats': ['kernel-eventbus'],
};

/** Folders of each package, lowest first. A folder imports only folders before it, and the files beside the folders. */
export const LAYERS = {
  'kernel-eventbus': [
    'trace',
    'envelope',
    'runtime',
    'access',
    'paging',
    'endpoints',
    'judgement',
    'deliveries',
    'request',
    'dispatch',
    'telemetry',
    'activity',
    'outbox',
    'cqrs',
    'routing',
    'worker',
    'replay',
    'management',
    'upkeep',
    'testing',
  ],
  'kernel-eventbus-admin': [
    'access',
    'activity',
    'ledger',
    'deliveries',
    'tenants',
    'events',
    'secrets',
    'stats',
    'endpoints',
    'lanes',
    'live',
    'operations',
    'policies',
    'tokens',
    'session',
    'upkeep',
  ],
  'kernel-eventbus-cli': ['connection', 'output', 'database', 'commands'],
  'kernel-eventbus-nats': ['connection', 'streams', 'queue', 'sink', 'worker'],
  'kernel-eventbus-ops': ['backlog', 'health', 'metrics'],
  'kernel-inbox': ['migrations', 'verification', 'reception', 'retention', 'webhooks', 'jetstream'],
  'kernel-ledger': ['entries', 'sealing', 'verification'],
  'kernel-outgoing-http': ['limits', 'dns', 'guard', 'send'],
  'kernel-privacy': ['path', 'policy', 'redact', 'classification'],
  'kernel-runtime': ['http', 'postgres'],
  'kernel-secrets': ['vault', 'signing', 'env'],
};

/** The same for all rules of a package: the reporter finds a comment by the rule's name. */
const orderOf = (layers) =>
  `A folder imports only folders before it: ${layers.join(', ')}. Move the shared part down, or the caller up. ` +
  'A new folder needs its place in LAYERS of .dependency-cruiser.mjs.';

const packagePath = (name) => (name === 'migrations' ? '^migrations/' : `^libs/${name}/`);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that import each other are one idea in two places: move the shared part into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only-the-index-of-a-lib',
      comment:
        'A lib is entered by its index.ts (or engine.ts, cqrs/, testing/, jetstream/index.ts): export the name there, or do without.',
      severity: 'error',
      from: { path: '^[a-z]+/([^/]+)' },
      to: {
        path: '^libs/[^/]+/(?:src|dist)/',
        pathNot: ['^libs/[^/]+/(?:src|dist)/(?:engine|(?:(?:cqrs|testing|jetstream)/)?index)[.]', '^libs/$1/'],
      },
    },
    {
      name: 'engine-for-our-packages',
      comment:
        '@kernel/eventbus/engine changes with every version: only the packages released with it, and tests, may import it.',
      severity: 'error',
      from: { path: OURS, pathNot: ['^libs/kernel-(?:eventbus|http)', TEST_CODE] },
      to: { path: '^libs/kernel-eventbus/(?:src|dist)/engine[.]' },
    },
    {
      name: 'only-the-index-of-migrations',
      comment: 'Migrations are entered by their index.ts.',
      severity: 'error',
      from: { pathNot: '^migrations/' },
      to: { path: '^migrations/', pathNot: '^migrations/(?:src|dist)/index[.]' },
    },
    {
      name: 'libs-know-no-apps',
      comment: 'A lib that imports an app cannot be installed anywhere else.',
      severity: 'error',
      from: { path: '^libs/|^migrations/', pathNot: TEST_CODE },
      to: { path: '^(?:apps|test|tools|bench)/' },
    },
    ...Object.entries(MAY_IMPORT).map(([name, allowed]) => ({
      name: `arrows-of-${name}`,
      comment: `${name} imports of ours: ${allowed.join(', ') || 'nothing'}.`,
      severity: 'error',
      from: { path: `^libs/${name}/`, pathNot: TEST_CODE },
      to: { path: OURS, pathNot: [`^libs/${name}/`, ...allowed.map(packagePath)] },
    })),
    {
      name: 'no-arrows-of-an-unlisted-package',
      comment: 'A new package needs its line in MAY_IMPORT of .dependency-cruiser.mjs.',
      severity: 'error',
      from: { path: '^libs/', pathNot: [TEST_CODE, ...Object.keys(MAY_IMPORT).map(packagePath)] },
      to: {},
    },
    ...Object.entries(LAYERS).flatMap(([name, layers]) =>
      layers.slice(0, -1).map((layer, index) => ({
        name: `folders-of-${name}`,
        comment: orderOf(layers),
        severity: 'error',
        from: { path: `^libs/${name}/src/${layer}/`, pathNot: TEST_CODE },
        to: { path: `^libs/${name}/src/(?:${layers.slice(index + 1).join('|')})/` },
      })),
    ),
    ...Object.entries(LAYERS).map(([name, layers]) => ({
      name: `folders-of-${name}`,
      comment: orderOf(layers),
      severity: 'error',
      from: { path: `^libs/${name}/src/[^/]+/`, pathNot: [TEST_CODE, `^libs/${name}/src/(?:${layers.join('|')})/`] },
      to: {},
    })),
    {
      name: 'no-folders-of-an-unlisted-package',
      comment: 'A package with folders needs its line in LAYERS of .dependency-cruiser.mjs.',
      severity: 'error',
      from: { path: '^libs/[^/]+/src/[^/]+/', pathNot: [TEST_CODE, ...Object.keys(LAYERS).map(packagePath)] },
      to: {},
    },
    {
      name: 'nothing-on-the-cli',
      comment: 'The command line is for people and scripts: code uses @kernel/eventbus.',
      severity: 'error',
      from: { path: OURS, pathNot: ['^libs/kernel-eventbus-cli/', TEST_CODE] },
      to: { path: '^libs/kernel-eventbus-cli/' },
    },
    {
      name: 'no-broker-without-asking',
      comment: 'Only @kernel/inbox/jetstream needs a NATS client, which is an optional peer.',
      severity: 'error',
      from: { path: '^libs/kernel-inbox/src/', pathNot: ['^libs/kernel-inbox/src/jetstream/', TEST_CODE] },
      to: { path: '^libs/kernel-inbox/src/jetstream/|node_modules/@nats-io/' },
    },
    {
      name: 'migrations-at-the-bottom',
      comment: 'A migration is history: code of ours that it imported would change it afterwards.',
      severity: 'error',
      from: { path: '^migrations/', pathNot: TEST_CODE },
      to: { path: OURS, pathNot: '^migrations/' },
    },
    {
      name: 'apps-do-not-know-each-other',
      comment: 'Apps communicate through events.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: ['^apps/launcher/', TEST_CODE] },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'launcher-knows-the-main-of-an-app',
      comment: 'The launcher starts built apps and may import the type of their main.ts, nothing deeper.',
      severity: 'error',
      from: { path: '^apps/launcher/', pathNot: TEST_CODE },
      to: { path: '^apps/|^dist/', pathNot: '^apps/launcher/|^apps/[^/]+/src/main[.]ts$|^dist/apps/[^/]+/main[.]' },
    },
    {
      name: 'no-test-code-in-the-product',
      comment: 'Code that ships must not need a spec or test support.',
      severity: 'error',
      from: { path: '^(?:apps|libs|migrations)/', pathNot: TEST_CODE },
      to: { path: TEST_CODE },
    },
    {
      name: 'no-test-of-another-package',
      comment: 'Share test helpers through @kernel/test-support, the folder test/support.',
      severity: 'error',
      from: { path: '^([^/]+/[^/]+)/' },
      to: { path: '^(?:libs|apps)/[^/]+/test/', pathNot: '^$1/' },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'Declare it in the package.json nearest to the file: the tarball brings no other dependency.',
      severity: 'error',
      from: { path: '^(?:apps|libs|migrations)/', pathNot: TEST_CODE },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'This import leads nowhere. (Build output is missing before the build.)',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '(?:^|/)dist/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '(?:^|/)dist/'] },
    exclude: { path: ['(?:^|/)dist/.*[.]map$'] },
    combinedDependencies: false,
    detectJSDocImports: false,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    skipAnalysisNotInRules: true,
  },
};
