import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  workspaces: string[];
  exports: Record<string, { types: string; default: string }>;
  files: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Dependencies needed without an import. */
const NEEDED_WITHOUT_IMPORT = new Set([
  '@mikro-orm/migrations', // gives the host's ORM the migrator that `migrate` runs
  '@mikro-orm/nestjs', // the host registers MikroOrmModule beside the kernel's module
  'rxjs', // a peer of @nestjs/axios
]);

const readManifest = async (folder: string) =>
  JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

/** The packages imported by the product code of a workspace. dependency-cruiser checks the foreign ones. */
async function listImports(folder: string): Promise<Set<string>> {
  const files = await readdir(join(ROOT, folder, 'src'), { recursive: true });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'));
  const texts = await Promise.all(sources.map((file) => readFile(join(ROOT, folder, 'src', file), 'utf8')));
  const specifiers = texts.flatMap((text) => [...text.matchAll(/(?:from|import|import\()\s*'([^'.][^']*)'/g)]);
  return new Set(specifiers.map(([, specifier]) => /^(@[^/]+\/)?[^/]+/.exec(specifier!)![0]));
}

const root = await readManifest('.');
const manifests = await Promise.all(root.workspaces.map(readManifest));
const published = root.workspaces.filter((_, index) => !manifests[index]!.private);

describe.each(published)('the package in %s', (folder) => {
  let manifest: Manifest;
  beforeAll(async () => {
    manifest = await readManifest(folder);
  });

  it('declares no dependency that it does not use', async () => {
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const used = await listImports(folder);
    expect(declared.filter((name) => !used.has(name) && !NEEDED_WITHOUT_IMPORT.has(name))).toEqual([]);
  });

  it('declares every package of ours that it imports', async () => {
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const ours = [...(await listImports(folder))].filter((name) => name.startsWith('@kernel/'));
    expect(ours.filter((name) => !declared.includes(name))).toEqual([]);
  });

  it('leaves what must exist once per process to its host', () => {
    // It has its own axios: the host's may be configured for other requests.
    const ownAxios = folder === 'libs/kernel-outgoing-http' ? ['@nestjs/axios', 'axios', 'rxjs'] : [];
    // The command line is a separate program.
    const ownEngine = folder === 'libs/kernel-eventbus-cli' ? ['@kernel/eventbus'] : [];
    const own = [...ownAxios, ...ownEngine];
    const owned = Object.keys(manifest.dependencies ?? {}).filter((name) => !own.includes(name));
    expect(
      owned.filter((name) => /^@nestjs\/|^@mikro-orm\/|^(?:@kernel\/eventbus|zod|nestjs-zod|rxjs|axios)$/.test(name)),
    ).toEqual([]);
  });

  it('agrees with the workspace on every version', () => {
    const rooted = { ...root.dependencies, ...root.devDependencies };
    const majors = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter(([name]) => rooted[name])
      .map(([name, range]) => [name, range.split('||').map(major), major(rooted[name]!)] as const);
    expect(majors.filter(([, ours, theirs]) => !ours.includes(theirs))).toEqual([]);
  });

  it('ships its build, with types beside each export', async () => {
    const pages = folder === 'libs/kernel-eventbus-console' ? ['dist/pages'] : [];
    expect(manifest.files).toEqual(['dist/**/*.js', 'dist/**/*.d.ts', ...pages, 'README.md']);
    for (const [path, { types, default: entry }] of Object.entries(manifest.exports)) {
      expect(types).toBe(entry.replace(/\.js$/, '.d.ts'));
      const source = join(ROOT, folder, entry.replace('./dist/', './src/').replace(/\.js$/, '.ts'));
      await expect(readFile(source, 'utf8').then((text) => [path, text.length > 0])).resolves.toEqual([path, true]);
    }
  });
});

it("kysely is exactly MikroORM's: a transaction of one is handed to the other", async () => {
  const mikroOrm = await readManifest('node_modules/@mikro-orm/postgresql');
  for (const folder of root.workspaces) {
    const { dependencies = {} } = await readManifest(folder);
    expect([undefined, mikroOrm.dependencies!.kysely]).toContain(dependencies.kysely);
  }
});

it('[FR-012a] the engine needs no queue, broker or worker runtime: PostgreSQL is all there is', () => {
  const external = withTheirDependencies('@kernel/eventbus').filter(
    (name) => !/^@(?:mikro-orm|kernel|types)\//.test(name),
  );
  expect(external.toSorted()).toEqual([
    '@nestjs/axios',
    '@nestjs/common',
    '@nestjs/core',
    '@nestjs/schedule',
    '@opentelemetry/api',
    'axios',
    'canonicalize',
    'ipaddr.js',
    'json-p3',
    'kysely',
    'rxjs',
    'undici',
    'uuid',
    'zod',
  ]);
});

it('only the entry @kernel/eventbus/cqrs needs @nestjs/cqrs, and no other entry leads to it', async () => {
  const folder = join(ROOT, 'libs/kernel-eventbus/src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const sources = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(folder, file), 'utf8') })),
  );
  const leading = sources.filter(({ text }) => /from '(?:@nestjs\/cqrs|[./]+\/cqrs\/.*)'/.test(text));
  expect(leading.map(({ file }) => file).toSorted()).toEqual([
    'cqrs/eventbus-cqrs.module.ts',
    'cqrs/outbox-publisher.ts',
  ]);
});

/** The dependencies of a package of ours and of the packages of ours that it needs; optional peers are not needed. */
function withTheirDependencies(name: string): string[] {
  const manifest = manifests.find((one) => one.name === name)!;
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const direct = Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (dependency) => !peerDependenciesMeta[dependency]?.optional,
  );
  const ours = direct.filter((dependency) => manifests.some((manifest) => manifest.name === dependency));
  return [...new Set([...direct, ...ours.flatMap(withTheirDependencies)])];
}

function major(range: string): string {
  return /\d+/.exec(range)![0];
}

it('[CARD-1] stands on the packages of the design card', () => {
  const used = Object.keys({ ...root.dependencies, ...root.devDependencies });
  expect(used).toEqual(
    expect.arrayContaining([
      ...['core', 'common', 'schedule', 'terminus', 'axios'].map((name) => `@nestjs/${name}`),
      ...['@mikro-orm/core', '@mikro-orm/postgresql', 'zod', 'nestjs-zod', 'nestjs-pino', 'jest', 'supertest'],
    ]),
  );
});
