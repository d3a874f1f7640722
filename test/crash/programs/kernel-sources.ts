import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

/**
 * The programs run the sources of this checkout, compiled as Jest compiles them: no build that could be stale or
 * missing.
 */
const kernelModules: Record<string, URL> = {
  '@kernel/migrations': new URL('../../../migrations/src/index.ts', import.meta.url),
  '@kernel/secrets': new URL('../../../libs/kernel-secrets/src/index.ts', import.meta.url),
  '@kernel/privacy': new URL('../../../libs/kernel-privacy/src/index.ts', import.meta.url),
  '@kernel/eventbus': new URL('../../../libs/kernel-eventbus/src/index.ts', import.meta.url),
  '@kernel/app': new URL('../../../libs/kernel-app/src/index.ts', import.meta.url),
  '@kernel/eventbus-cli': new URL('../../../libs/kernel-eventbus-cli/src/index.ts', import.meta.url),
  '@kernel/eventbus-nats': new URL('../../../libs/kernel-eventbus-nats/src/index.ts', import.meta.url),
  '@kernel/inbox': new URL('../../../libs/kernel-inbox/src/index.ts', import.meta.url),
  '@kernel/inbox/jetstream': new URL('../../../libs/kernel-inbox/src/jetstream/index.ts', import.meta.url),
};

const KERNEL_SOURCE = /\/(libs\/kernel-[a-z-]+|apps\/[a-z]+|migrations)\/src\/.+\.ts$/;

registerHooks({
  resolve(specifier, context, next) {
    const kernelModule = kernelModules[specifier];
    if (kernelModule) {
      return { url: kernelModule.href, format: 'module', shortCircuit: true };
    }
    if (specifier.startsWith('.') && KERNEL_SOURCE.test(context.parentURL ?? '')) {
      return next(specifier.replace(/\.js$/, '.ts'), context);
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!KERNEL_SOURCE.test(url)) {
      return next(url, context);
    }
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), { filename });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
