import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Measures the build of this checkout, even if `node_modules` is a link into another one. */
const root = new URL('../', import.meta.url);
const { compilerOptions } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')) as {
  compilerOptions: { paths: Record<string, [string]> };
};
const builds = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([name, [source]]) => [
    name,
    new URL(source.replace('/src/', '/dist/').replace(/\.ts$/, '.js'), root),
  ]),
);

registerHooks({
  resolve(specifier, context, next) {
    const build = builds[specifier];
    if (!build) {
      return next(specifier, context);
    }
    if (!existsSync(build)) {
      throw new Error(`${specifier} is not built: run "npm run build" before "npm run bench"`);
    }
    return next(build.href, context);
  },
});
