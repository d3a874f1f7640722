import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { noHttpClient } from './tools/eslint/no-http-client.mjs';

const HTTP_SERVERS = ['express', 'fastify', '@nestjs/platform-express', '@nestjs/platform-fastify'].map((name) => ({
  name,
  message: 'Hosts run on Express or on Fastify: take Exchange of @kernel/runtime.',
}));
const TESTS = ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/test/**/*.ts'];

export default defineConfig([
  globalIgnores(['**/dist/', 'coverage/', '.data/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{ts,mts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': [
        'error',
        // `typeof import()` is the type of a module that exists only after a build.
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      // Nest exports the types of a ConfigurableModuleBuilder as values.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_|_OPTIONS_TYPE$' },
      ],
      // `async` also turns a throw into a rejection in methods of a seam that await nothing.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { console: 'readonly', performance: 'readonly', process: 'readonly' } },
  },
  {
    // KER-6a: domains publish, the kernel delivers. The launcher is not a domain: it starts processes. The console
    // calls the admin API, from one folder.
    files: ['apps/**/*.{ts,tsx,mts,cts,js,mjs,cjs}'],
    ignores: [
      '**/*.spec.ts',
      '**/*.e2e-spec.ts',
      'apps/*/test/**',
      'apps/launcher/**',
      'apps/console/src/connection/**',
    ],
    // An inline comment cannot disable the rule.
    linterOptions: { noInlineConfig: true },
    plugins: { kernel: { rules: { 'no-http-client': noHttpClient } } },
    rules: { 'kernel/no-http-client': 'error' },
  },
  {
    // All outgoing HTTP of the kernel passes the guard. The command line is a client of the admin API.
    files: ['libs/*/src/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      'libs/kernel-outgoing-http/src/**',
      'libs/kernel-eventbus/src/testing/**',
      'libs/kernel-eventbus-cli/src/connection/**',
    ],
    linterOptions: { noInlineConfig: true },
    plugins: { kernel: { rules: { 'no-http-client': noHttpClient } } },
    rules: { 'kernel/no-http-client': ['error', { fix: 'past the guard: send it through OutgoingHttp.' }] },
  },
  {
    // Hosts run on Express or on Fastify. The sample apps, and what they share, run on Express.
    files: ['libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', 'libs/kernel-app/src/**'],
    rules: { 'no-restricted-imports': ['error', { paths: HTTP_SERVERS }] },
  },
  {
    // Global pipes of the host would change the values of these decorators.
    files: ['libs/kernel-eventbus-admin/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...HTTP_SERVERS,
            {
              name: '@nestjs/common',
              importNames: ['Body', 'Query', 'Param', 'createParamDecorator'],
              message: 'Global pipes of the host change its value: take the decorators of access/input.ts.',
            },
          ],
        },
      ],
    },
  },
  {
    // jest's matchers and parsed JSON are `any`; a test may print a secret to check that it is masked.
    files: TESTS,
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/restrict-plus-operands': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['libs/**/*.ts', 'migrations/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
]);
