/**
 * Allowed dependencies: apps -> kernel-eventbus -> kernel-privacy, kernel-secrets -> no other lib; migrations at the
 * bottom; kernel-inbox beside them, for consumers.
 */

const TEST_CODE = '[.](?:e2e-)?spec[.]ts$|^test/|^(?:libs|apps)/[^/]+/test/|/fixtures/';
const OURS = '^(?:apps|libs|migrations|test|tools|bench)/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one idea in two places: move what both need into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only-the-index-of-a-lib',
      comment:
        'A lib is entered by its index.ts (or testing/, jetstream/index.ts): export what is missing there, or do without.',
      severity: 'error',
      from: { path: '^[a-z]+/([^/]+)' },
      to: {
        path: '^libs/[^/]+/(?:src|dist)/',
        pathNot: ['^libs/[^/]+/(?:src|dist)/(?:(?:testing|jetstream)/)?index[.]', '^libs/$1/'],
      },
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
      comment: 'A lib that knows an app cannot be installed anywhere else.',
      severity: 'error',
      from: { path: '^libs/|^migrations/', pathNot: TEST_CODE },
      to: { path: '^(?:apps|test|tools|bench)/' },
    },
    {
      name: 'privacy-secrets-and-inbox-stand-alone',
      comment:
        'kernel-privacy, kernel-secrets and kernel-inbox import nothing of ours, so that they can be used without the event bus.',
      severity: 'error',
      from: { path: '^libs/(kernel-privacy|kernel-secrets|kernel-inbox)/', pathNot: TEST_CODE },
      to: { path: OURS, pathNot: '^libs/$1/' },
    },
    {
      name: 'eventbus-on-privacy-secrets-migrations',
      comment:
        'kernel-eventbus stands on kernel-privacy, kernel-secrets and the migrations, and on nothing else of ours.',
      severity: 'error',
      from: { path: '^libs/kernel-eventbus/', pathNot: TEST_CODE },
      to: { path: OURS, pathNot: '^libs/kernel-(?:eventbus|privacy|secrets)/|^migrations/' },
    },
    {
      name: 'cli-on-eventbus',
      comment: 'The command line asks the admin API; of ours it knows what migrates a database.',
      severity: 'error',
      from: { path: '^libs/kernel-eventbus-cli/', pathNot: TEST_CODE },
      to: { path: OURS, pathNot: '^libs/kernel-eventbus(?:-cli)?/' },
    },
    {
      name: 'nothing-on-the-cli',
      comment: 'The command line is for people and scripts: code uses @kernel/eventbus.',
      severity: 'error',
      from: { path: OURS, pathNot: ['^libs/kernel-eventbus-cli/', TEST_CODE] },
      to: { path: '^libs/kernel-eventbus-cli/' },
    },
    {
      name: 'console-stands-alone',
      comment: 'kernel-eventbus-console serves files. Its pages call the admin API over HTTP.',
      severity: 'error',
      from: { path: '^libs/kernel-eventbus-console/', pathNot: TEST_CODE },
      to: { path: OURS, pathNot: '^libs/kernel-eventbus-console/' },
    },
    {
      name: 'brokers-on-eventbus',
      comment: 'A lib for a broker plugs into the engine, and knows nothing else of ours.',
      severity: 'error',
      from: { path: '^libs/(kernel-eventbus-(?:kafka|nats))/', pathNot: TEST_CODE },
      to: { path: OURS, pathNot: '^libs/kernel-eventbus/|^libs/$1/' },
    },
    {
      name: 'engine-knows-no-inbox',
      comment: 'The inbox is for whoever receives: what sends has its own.',
      severity: 'error',
      from: { path: '^libs/|^migrations/', pathNot: ['^libs/kernel-inbox/', TEST_CODE] },
      to: { path: '^libs/kernel-inbox/' },
    },
    {
      name: 'no-broker-without-asking',
      comment: 'Only what is imported as @kernel/inbox/jetstream needs a client of NATS: it is an optional peer.',
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
      comment: 'Apps speak through events.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: ['^apps/launcher/', TEST_CODE] },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'launcher-knows-the-main-of-an-app',
      comment: 'The launcher starts what is built, and may know the type of its main.ts; it looks no deeper.',
      severity: 'error',
      from: { path: '^apps/launcher/', pathNot: TEST_CODE },
      to: { path: '^apps/|^dist/', pathNot: '^apps/launcher/|^apps/[^/]+/src/main[.]ts$|^dist/apps/[^/]+/main[.]' },
    },
    {
      name: 'no-test-code-in-the-product',
      comment: 'Code that ships must not need a spec or a test helper.',
      severity: 'error',
      from: { path: '^(?:apps|libs|migrations)/', pathNot: TEST_CODE },
      to: { path: TEST_CODE },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'Declare it in the package.json nearest to the file: whoever installs the tarball gets no other.',
      severity: 'error',
      from: { path: '^(?:apps|libs|migrations)/', pathNot: TEST_CODE },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'This import leads nowhere. (What is built is not there before the build.)',
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
