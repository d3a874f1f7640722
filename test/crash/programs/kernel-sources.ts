import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

/**
 * The programs run the sources of this checkout, compiled as Jest compiles them: no build that could be stale or
 * missing.
 */
const root = new URL('../../../', import.meta.url);
const { compilerOptions } = JSON.parse(readFileSync(new URL('tsconfig.json', root), 'utf8')) as {
  compilerOptions: { paths: Record<string, [string]> };
};

/** The source file of a package of ours, as the compiler's `paths` name it. */
function findSource(specifier: string): URL | undefined {
  const support = /^@kernel\/test-support\/(.+)$/.exec(specifier);
  const path = support ? `./test/support/${support[1]}.ts` : compilerOptions.paths[specifier]?.[0];
  return path ? new URL(path, root) : undefined;
}

const KERNEL_SOURCE = /\/(libs\/kernel-[a-z-]+|apps\/[a-z]+|migrations)\/src\/.+\.ts$|\/test\/support\/.+\.ts$/;

registerHooks({
  resolve(specifier, context, next) {
    const source = findSource(specifier);
    if (source) {
      return { url: source.href, format: 'module', shortCircuit: true };
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
