import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HostProject {
  root: string;
  directory: string;
  tarballs: Record<string, string>;
  host: Host;
}

/** A Nest application outside of this repository. */
export interface Host {
  /** Its program, a path from this folder. */
  app: string;
  /** Packages of the kernel that it installs. Their own dependencies on the kernel come from tarballs too. */
  kernel: readonly string[] | 'all';
  /** Packages that it installs from the registry. */
  dependencies: readonly string[];
  /** Versions that differ from those of this repository. */
  versions?: Readonly<Record<string, string>>;
  /** Packages that must not arrive with the others. */
  absent: readonly string[];
}

/** Any Nest application has these. */
const NEST = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];
const ENGINE = [
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/nestjs',
  '@mikro-orm/postgresql',
  '@nestjs/schedule',
  '@opentelemetry/api',
  'zod',
];
const ADMIN_AND_OPS = ['@nestjs/swagger', '@nestjs/terminus', 'nestjs-zod'];

/** Publishes and delivers, and installs nothing else, not even an HTTP server. */
export const LEAN_HOST: Host = {
  app: 'lean-app.ts',
  kernel: ['@kernel/eventbus'],
  dependencies: [...NEST, ...ENGINE],
  absent: [...ADMIN_AND_OPS, 'prom-client', 'express', '@kernel/http', '@kernel/eventbus-admin'],
};

export const FULL_HOST: Host = {
  app: 'full-app.ts',
  kernel: 'all',
  dependencies: [...NEST, '@nestjs/platform-express', ...ENGINE, ...ADMIN_AND_OPS, 'standardwebhooks'],
  absent: [],
};

/** An app with admin API, console, health and metrics, on Express or Fastify. */
export const NEST_12_HOST: Host = {
  app: '../../test/hosts/host-app.ts',
  kernel: ['@kernel/eventbus', '@kernel/eventbus-admin', '@kernel/eventbus-console', '@kernel/eventbus-ops'],
  dependencies: [
    ...NEST,
    '@nestjs/platform-express',
    '@nestjs/platform-fastify',
    ...ENGINE,
    ...ADMIN_AND_OPS,
    'class-transformer',
    'class-validator',
  ],
  absent: [],
};

export const NEST_11_HOST: Host = {
  ...NEST_12_HOST,
  versions: {
    ...Object.fromEntries(
      ['common', 'core', 'platform-express', 'platform-fastify', 'swagger'].map((name) => [
        `@nestjs/${name}`,
        '^11.0.0',
      ]),
    ),
    '@nestjs/schedule': '^6.0.0',
  },
};

/** Declarations of MikroORM require `@types/pg`, those of Nest's Express adapter `@types/express`. */
const DEV_DEPENDENCIES = ['@types/express', '@types/node', '@types/pg', 'typescript'];

export async function makeHostProject({ root, directory, tarballs, host }: HostProject): Promise<string> {
  await mkdir(directory);
  const { overrides } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    overrides: Record<string, unknown>;
  };
  const files = Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`] as const);
  const isDirect = (name: string) => host.kernel === 'all' || host.kernel.includes(name);
  const manifest = {
    name: 'smoke-pack-host',
    private: true,
    type: 'module',
    dependencies: {
      ...(await installedVersions(root, host.dependencies)),
      ...host.versions,
      ...Object.fromEntries(files.filter(([name]) => isDirect(name))),
    },
    devDependencies: await installedVersions(root, DEV_DEPENDENCIES),
    overrides: {
      ...Object.fromEntries(files.filter(([name]) => !isDirect(name))),
      ...(host.dependencies.includes('nestjs-zod') && !host.versions && { 'nestjs-zod': overrides['nestjs-zod'] }),
    },
  };
  const tsconfig = {
    compilerOptions: {
      target: 'es2024',
      lib: ['esnext'],
      module: 'nodenext',
      types: ['node'],
      strict: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      // Makes an unresolved declaration of our packages an error and not an `any`.
      skipLibCheck: false,
    },
    files: ['app.ts'],
  };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest, undefined, 2));
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig, undefined, 2));
  await copyFile(join(import.meta.dirname, host.app), join(directory, 'app.ts'));
  return directory;
}

async function installedVersions(root: string, names: readonly string[]): Promise<Record<string, string>> {
  const versions = names.map(async (name) => {
    const manifest = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8');
    return [name, (JSON.parse(manifest) as { version: string }).version];
  });
  return Object.fromEntries(await Promise.all(versions)) as Record<string, string>;
}
