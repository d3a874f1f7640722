import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

/**
 * Reads `[{ path, code }]` from stdin, lints each as if it were that file of the project, and prints one list of
 * messages per snippet. A process of its own: ESLint loads its configuration in ways that jest's modules do not know.
 */
const snippets = JSON.parse(await text(process.stdin));
// No file on disk, no type information; the rules that need none stay as the project has them.
const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
const results = await Promise.all(snippets.map(({ path, code }) => eslint.lintText(code, { filePath: path })));
console.log(
  JSON.stringify(results.map(([result]) => result.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`))),
);
