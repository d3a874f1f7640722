import { availableParallelism } from 'node:os';
import tsconfig from './tsconfig.json' with { type: 'json' };

const CRASH = '<rootDir>/test/crash/';
const BROWSER = '<rootDir>/apps/console/test/';
const SUITES = '**/*.e2e-spec.ts';
const IGNORED = ['/node_modules/', '/dist/'];

/** Suites run the sources of the packages, as the compiler's `paths` name them. */
const kernelSources = Object.fromEntries(
  Object.entries(tsconfig.compilerOptions.paths).map(([name, [path]]) => [
    `^${name.replace('*', '(.*)')}$`,
    path.replace('./', '<rootDir>/').replace('*', '$1'),
  ]),
);

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testPathIgnorePatterns: IGNORED,
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: {
    ...kernelSources,
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
