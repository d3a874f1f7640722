import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Measures the build of this checkout, even if `node_modules` is a link into another one. */
const builds: Record<string, URL> = {
  '@kernel/migrations': new URL('../migrations/dist/index.js', import.meta.url),
  '@kernel/secrets': new URL('../libs/kernel-secrets/dist/index.js', import.meta.url),
  '@kernel/privacy': new URL('../libs/kernel-privacy/dist/index.js', import.meta.url),
  '@kernel/eventbus': new URL('../libs/kernel-eventbus/dist/index.js', import.meta.url),
};

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
