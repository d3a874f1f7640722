import { availableParallelism } from 'node:os';

const CRASH = '<rootDir>/test/crash/';
const BROWSER = '<rootDir>/apps/console/test/';
const SUITES = '**/*.e2e-spec.ts';
const IGNORED = ['/node_modules/', '/dist/'];

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testPathIgnorePatterns: IGNORED,
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: {
    '^@kernel/app$': '<rootDir>/libs/kernel-app/src/index.ts',
    '^@kernel/eventbus$': '<rootDir>/libs/kernel-eventbus/src/index.ts',
    '^@kernel/eventbus/testing$': '<rootDir>/libs/kernel-eventbus/src/testing/index.ts',
    '^@kernel/eventbus-cli$': '<rootDir>/libs/kernel-eventbus-cli/src/index.ts',
    '^@kernel/eventbus-console$': '<rootDir>/libs/kernel-eventbus-console/src/index.ts',
    '^@kernel/eventbus-kafka$': '<rootDir>/libs/kernel-eventbus-kafka/src/index.ts',
    '^@kernel/eventbus-nats$': '<rootDir>/libs/kernel-eventbus-nats/src/index.ts',
    '^@kernel/inbox$': '<rootDir>/libs/kernel-inbox/src/index.ts',
    '^@kernel/inbox/jetstream$': '<rootDir>/libs/kernel-inbox/src/jetstream/index.ts',
    '^@kernel/privacy$': '<rootDir>/libs/kernel-privacy/src/index.ts',
    '^@kernel/secrets$': '<rootDir>/libs/kernel-secrets/src/index.ts',
    '^@kernel/migrations$': '<rootDir>/migrations/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

/** One PostgreSQL for all projects that need it. */
const withPostgres = {
  ...shared,
  globalSetup: '<rootDir>/test/support/start-postgres.ts',
  globalTeardown: '<rootDir>/test/support/stop-postgres.ts',
};

/** @type {import('jest').Config} */
export default {
  // Suites spend much of their time waiting for databases, processes and browsers, so two cores can run three.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  // Jest keeps the ES modules of every suite that a worker has run: a worker ran out of memory after some hundred
  // suites.
  workerIdleMemoryLimit: '1GB',
  testTimeout: 120_000,
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{libs,apps,test,migrations}/**/*.spec.ts'] },
    {
      ...withPostgres,
      displayName: 'database',
      testMatch: [`<rootDir>/{libs,apps,test,migrations}/${SUITES}`],
      testPathIgnorePatterns: [...IGNORED, CRASH, BROWSER],
    },
    { ...withPostgres, displayName: 'crash', testMatch: [CRASH + SUITES] },
    { ...withPostgres, displayName: 'browser', testMatch: [BROWSER + SUITES] },
  ],
  // AC9. Instrumented, not v8: v8 counts comments and types of a loaded file as covered lines.
  collectCoverageFrom: ['libs/*/src/**/*.ts', '!**/*.spec.ts', '!**/*.e2e-spec.ts', '!**/fixtures/**', '!**/index.ts'],
  coverageProvider: 'babel',
  coverageReporters: ['text-summary', 'json-summary'],
  coverageThreshold: { global: { lines: 85 } },
};
