import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/**
 * Reads `[{ path, code }]` from stdin, lints each as if it were that file of the project, and prints one list of
 * messages per snippet. A separate process: ESLint loads its configuration in ways that jest's module system does not
 * support.
 */
const snippets = JSON.parse(await text(process.stdin));
// Without files on disk there is no type information; rules that need none stay as configured.
const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
const results = await Promise.all(snippets.map(({ path, code }) => eslint.lintText(code, { filePath: path })));
console.log(
  JSON.stringify(results.map(([result]) => result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))),
);
