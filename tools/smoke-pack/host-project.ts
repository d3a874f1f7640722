import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface HostProject {
  root: string;
  directory: string;
  tarballs: Record<string, string>;
}

/** Packages that a Nest project installs beside the event bus, as its README says. */
const DEPENDENCIES = [
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/nestjs',
  '@mikro-orm/postgresql',
  '@nestjs/axios',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/schedule',
  '@nestjs/swagger',
  '@nestjs/terminus',
  '@opentelemetry/api',
  'axios',
  'nestjs-zod',
  'reflect-metadata',
  'rxjs',
  'standardwebhooks',
  'zod',
];
/** `@types/pg` is required by MikroORM's declarations. */
const DEV_DEPENDENCIES = ['@types/node', '@types/pg', 'typescript'];

export async function makeHostProject({ root, directory, tarballs }: HostProject): Promise<string> {
  await mkdir(directory);
  const { overrides } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    overrides: Record<string, unknown>;
  };
  const manifest = {
    name: 'smoke-pack-host',
    private: true,
    type: 'module',
    dependencies: {
      ...(await installedVersions(root, DEPENDENCIES)),
      ...Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`])),
    },
    devDependencies: await installedVersions(root, DEV_DEPENDENCIES),
    overrides: { 'nestjs-zod': overrides['nestjs-zod'] },
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
    files: ['host-app.ts'],
  };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest, undefined, 2));
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig, undefined, 2));
  await copyFile(join(import.meta.dirname, 'host-app.ts'), join(directory, 'host-app.ts'));
  return directory;
}

async function installedVersions(root: string, names: string[]): Promise<Record<string, string>> {
  const versions = names.map(async (name) => {
    const manifest = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8');
    return [name, (JSON.parse(manifest) as { version: string }).version];
  });
  return Object.fromEntries(await Promise.all(versions)) as Record<string, string>;
}
