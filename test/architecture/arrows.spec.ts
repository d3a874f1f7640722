import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const CONFIG = join(ROOT, '.dependency-cruiser.mjs');

/** A small project with the same structure, in which every file breaks one rule or none. */
const PROJECT: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': `{ "extends": "${ROOT}/tsconfig.base.json", "compilerOptions": { "paths": {
    "@kernel/migrations": ["./migrations/src/index.ts"],
    "@kernel/privacy": ["./libs/kernel-privacy/src/index.ts"],
    "@kernel/runtime": ["./libs/kernel-runtime/src/index.ts"],
    "@kernel/ledger": ["./libs/kernel-ledger/src/index.ts"],
    "@kernel/eventbus": ["./libs/kernel-eventbus/src/index.ts"],
    "@kernel/eventbus/engine": ["./libs/kernel-eventbus/src/engine.ts"],
    "@kernel/eventbus/testing": ["./libs/kernel-eventbus/src/testing/index.ts"],
    "@kernel/http": ["./libs/kernel-http/src/index.ts"],
    "@kernel/eventbus-admin": ["./libs/kernel-eventbus-admin/src/index.ts"] } } }`,
  'migrations/src/index.ts': `export * from './first.js';`,
  'migrations/src/first.ts': `export const first = 1;`,
  'libs/kernel-privacy/package.json': '{ "name": "@kernel/privacy" }',
  'libs/kernel-privacy/src/index.ts': `export const redact = 1;`,
  'libs/kernel-secrets/src/index.ts': `export const sign = 1;`,
  'libs/kernel-runtime/src/index.ts': `export const clock = 1;`,
  'libs/kernel-ledger/src/index.ts': `import '@kernel/runtime'; export const append = 1;`,
  'libs/kernel-eventbus/package.json': '{ "name": "@kernel/eventbus", "peerDependencies": { "zod": "*" } }',
  'libs/kernel-eventbus/src/index.ts': `export { publish } from './outbox/publish.js';`,
  'libs/kernel-eventbus/src/engine.ts': `export { publish } from './outbox/publish.js';`,
  'libs/kernel-eventbus/src/eventbus.options.ts': `import './worker/loop.js';`,
  'libs/kernel-eventbus/src/envelope/envelope.ts': `export const envelope = 1;`,
  'libs/kernel-eventbus/src/worker/loop.ts': `import '../outbox/publish.js'; import '../envelope/envelope.js';`,
  'libs/kernel-http/src/index.ts': `import '@kernel/eventbus'; import '@kernel/eventbus/engine';`,
  'libs/kernel-eventbus-admin/src/index.ts': `import '@kernel/http'; import '@kernel/eventbus/engine';`,
  'libs/kernel-eventbus-console/src/index.ts': `export const pages = 1;`,
  'libs/kernel-eventbus-cli/package.json': '{ "name": "@kernel/eventbus-cli" }',
  'libs/kernel-eventbus-cli/src/index.ts': `import '@kernel/eventbus';`,
  'libs/kernel-eventbus-kafka/package.json': '{ "name": "@kernel/eventbus-kafka" }',
  'libs/kernel-eventbus-kafka/src/index.ts': `import '@kernel/eventbus';`,
  'libs/kernel-eventbus-nats/package.json': '{ "name": "@kernel/eventbus-nats" }',
  'libs/kernel-eventbus-nats/src/index.ts': `import '@kernel/eventbus';`,
  'libs/kernel-eventbus/test/helper.ts': `export const helper = 1;`,
  'libs/kernel-eventbus/src/testing/index.ts': `export const wait = 1;`,
  'libs/kernel-eventbus/src/outbox/publish.ts': `import '@kernel/privacy'; import '@kernel/migrations';
    import '@kernel/ledger'; import 'zod'; export const publish = 1;`,
  'libs/kernel-eventbus/src/outbox/publish.spec.ts': `import './publish.js'; import '../../../../test/support/app.js';
    import '@kernel/eventbus-admin';`,
  'libs/kernel-inbox/package.json': '{ "name": "@kernel/inbox" }',
  'libs/kernel-inbox/src/index.ts': `export const inbox = 1;`,
  'libs/kernel-inbox/src/jetstream/index.ts': `import '../index.js';`,
  'libs/kernel-eventbus-admin/src/upkeep/round.ts': `export const round = 1;`,
  'libs/kernel-eventbus-cli/src/commands/status.ts': `export const status = 1;`,
  'libs/kernel-eventbus-nats/src/worker/consume.ts': `export const consume = 1;`,
  'libs/kernel-eventbus-ops/src/metrics/scrape.ts': `export const scrape = 1;`,
  'libs/kernel-ledger/src/verification/verify.ts': `export const verify = 1;`,
  'libs/kernel-outgoing-http/src/send/post.ts': `export const post = 1;`,
  'libs/kernel-privacy/src/classification/classify.ts': `export const classify = 1;`,
  'libs/kernel-secrets/src/env/read.ts': `export const read = 1;`,
  'apps/erp/src/clean.ts': `import '@kernel/eventbus'; import '@kernel/eventbus/testing'; import './neighbour.js';`,
  'apps/erp/src/neighbour.ts': `export const neighbour = 1;`,
  'apps/erp/src/ring.ts': `import './ring-other.js';`,
  'apps/erp/src/main.ts': `export const start = 1;`,
  'apps/launcher/built.ts': `export type Erp = typeof import('../erp/src/main.ts');`,
  'apps/launcher/start.ts': `await import('../../dist/apps/erp/main.js');`,
  'test/support/app.ts': `import '@kernel/eventbus'; import '@kernel/eventbus/engine';
    import '../../apps/launcher/start.ts';`,
};

const VIOLATIONS: [rule: string, file: string, code: string][] = [
  ['only-the-index-of-a-lib', 'apps/erp/src/deep.ts', `import '../../../libs/kernel-eventbus/src/outbox/publish.js';`],
  [
    'only-the-index-of-a-lib',
    'apps/erp/src/deep-type.ts',
    `import type { publish } from '../../../libs/kernel-eventbus/src/outbox/publish.js'; export type P = typeof publish;`,
  ],
  [
    'only-the-index-of-a-lib',
    'apps/erp/src/deep-later.ts',
    `await import('../../../libs/kernel-eventbus/src/outbox/publish.js');`,
  ],
  ['only-the-index-of-a-lib', 'test/pipeline/deep.ts', `import '../../libs/kernel-eventbus/src/outbox/publish.js';`],
  ['only-the-index-of-migrations', 'apps/erp/src/one.ts', `import '../../../migrations/src/first.js';`],
  ['engine-for-our-packages', 'apps/erp/src/engine.ts', `import '@kernel/eventbus/engine';`],
  ['libs-know-no-apps', 'migrations/src/with-app.ts', `import '../../apps/erp/src/neighbour.js';`],
  ['arrows-of-kernel-privacy', 'libs/kernel-privacy/src/a.ts', `import '@kernel/eventbus/testing';`],
  ['arrows-of-kernel-secrets', 'libs/kernel-secrets/src/b.ts', `import '@kernel/privacy';`],
  ['arrows-of-kernel-runtime', 'libs/kernel-runtime/src/r.ts', `import '@kernel/privacy';`],
  ['arrows-of-kernel-ledger', 'libs/kernel-ledger/src/l.ts', `import '@kernel/eventbus/testing';`],
  ['arrows-of-kernel-outgoing-http', 'libs/kernel-outgoing-http/src/w.ts', `import '@kernel/runtime';`],
  ['arrows-of-kernel-eventbus', 'libs/kernel-eventbus/src/c.ts', `import '../../../apps/erp/src/neighbour.js';`],
  ['arrows-of-kernel-eventbus', 'libs/kernel-eventbus/src/up.ts', `import '@kernel/eventbus-admin';`],
  [
    'arrows-of-kernel-eventbus',
    'libs/kernel-eventbus/src/broker.ts',
    `import '../../kernel-eventbus-nats/src/index.js';`,
  ],
  ['arrows-of-kernel-eventbus', 'libs/kernel-eventbus/src/j.ts', `import '../../kernel-inbox/src/index.js';`],
  ['arrows-of-kernel-http', 'libs/kernel-http/src/up.ts', `import '@kernel/eventbus-admin';`],
  ['arrows-of-kernel-app', 'libs/kernel-app/src/up.ts', `import '@kernel/eventbus-admin';`],
  ['arrows-of-kernel-eventbus-admin', 'libs/kernel-eventbus-admin/src/m.ts', `import '@kernel/migrations';`],
  ['arrows-of-kernel-eventbus-ops', 'libs/kernel-eventbus-ops/src/n.ts', `import '@kernel/eventbus-admin';`],
  ['arrows-of-kernel-eventbus-console', 'libs/kernel-eventbus-console/src/o.ts', `import '@kernel/http';`],
  ['arrows-of-kernel-eventbus-cli', 'libs/kernel-eventbus-cli/src/deep.ts', `import '@kernel/privacy';`],
  ['arrows-of-kernel-eventbus-kafka', 'libs/kernel-eventbus-kafka/src/deep.ts', `import '@kernel/privacy';`],
  ['arrows-of-kernel-eventbus-nats', 'libs/kernel-eventbus-nats/src/deep.ts', `import '@kernel/privacy';`],
  ['arrows-of-kernel-inbox', 'libs/kernel-inbox/src/i.ts', `import '@kernel/eventbus/testing';`],
  ['no-arrows-of-an-unlisted-package', 'libs/kernel-other/src/index.ts', `import '@kernel/privacy';`],
  ['folders-of-kernel-eventbus', 'libs/kernel-eventbus/src/envelope/up.ts', `import '../outbox/publish.js';`],
  [
    'folders-of-kernel-eventbus',
    'libs/kernel-eventbus/src/outbox/up-type.ts',
    `import type {} from '../worker/loop.js';`,
  ],
  ['folders-of-kernel-eventbus', 'libs/kernel-eventbus/src/elsewhere/new.ts', `import '../envelope/envelope.js';`],
  ['folders-of-kernel-eventbus-admin', 'libs/kernel-eventbus-admin/src/access/up.ts', `import '../upkeep/round.js';`],
  [
    'folders-of-kernel-eventbus-cli',
    'libs/kernel-eventbus-cli/src/connection/up.ts',
    `import '../commands/status.js';`,
  ],
  [
    'folders-of-kernel-eventbus-nats',
    'libs/kernel-eventbus-nats/src/connection/up.ts',
    `import '../worker/consume.js';`,
  ],
  ['folders-of-kernel-eventbus-ops', 'libs/kernel-eventbus-ops/src/backlog/up.ts', `import '../metrics/scrape.js';`],
  ['folders-of-kernel-ledger', 'libs/kernel-ledger/src/entries/up.ts', `import '../verification/verify.js';`],
  ['folders-of-kernel-outgoing-http', 'libs/kernel-outgoing-http/src/limits/up.ts', `import '../send/post.js';`],
  ['folders-of-kernel-privacy', 'libs/kernel-privacy/src/path/up.ts', `import '../classification/classify.js';`],
  ['folders-of-kernel-secrets', 'libs/kernel-secrets/src/vault/up.ts', `import '../env/read.js';`],
  ['folders-of-kernel-inbox', 'libs/kernel-inbox/src/reception/up.ts', `import '../jetstream/index.js';`],
  ['folders-of-kernel-runtime', 'libs/kernel-runtime/src/elsewhere/new.ts', `import '../index.js';`],
  ['no-folders-of-an-unlisted-package', 'libs/kernel-http/src/errors/new.ts', `import '../index.js';`],
  ['nothing-on-the-cli', 'libs/kernel-eventbus/src/cli.ts', `import '../../kernel-eventbus-cli/src/index.js';`],
  ['no-broker-without-asking', 'libs/kernel-inbox/src/k.ts', `import './jetstream/index.js';`],
  ['migrations-at-the-bottom', 'migrations/src/second.ts', `import '@kernel/privacy';`],
  ['apps-do-not-know-each-other', 'apps/receiver/src/d.ts', `import '../../erp/src/neighbour.js';`],
  ['launcher-knows-the-main-of-an-app', 'apps/launcher/deep.ts', `import '../erp/src/neighbour.ts';`],
  ['no-test-code-in-the-product', 'apps/erp/src/e.ts', `import '../../../test/support/app.js';`],
  ['no-test-of-another-package', 'libs/kernel-privacy/test/other.ts', `import '../../kernel-eventbus/test/helper.js';`],
  ['no-undeclared-dependency', 'libs/kernel-eventbus/src/f.ts', `import 'rxjs';`],
  [
    'no-undeclared-dependency',
    'libs/kernel-privacy/src/g.ts',
    `import type { z } from 'zod'; export type Z = z.ZodType;`,
  ],
  ['no-unresolvable', 'apps/erp/src/h.ts', `import './nowhere.js';`],
  ['no-circular', 'apps/erp/src/ring-other.ts', `import './ring.js';`],
];

interface Violation {
  rule: { name: string };
  from: string;
}

describe('the arrows', () => {
  let project: string;
  let found: string[];
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'kernel-arrows-'));
    await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    for (const [path, code] of [...Object.entries(PROJECT), ...VIOLATIONS.map(([, path, code]) => [path, code])]) {
      await mkdir(dirname(join(project, path!)), { recursive: true });
      await writeFile(join(project, path!), code!);
    }
    found = (await cruise(project)).map(({ rule, from }) => `${rule.name}: ${from}`);
  });
  afterAll(() => rm(project, { recursive: true, force: true }));

  it.each(VIOLATIONS)('%s bites: %s', (rule, file) => {
    expect(found).toContain(`${rule}: ${file}`);
  });

  it('have a violation of every rule', async () => {
    const { default: config } = (await import(CONFIG)) as { default: { forbidden: { name: string }[] } };
    const violated = new Set(VIOLATIONS.map(([rule]) => rule));
    expect(config.forbidden.map(({ name }) => name).filter((name) => !violated.has(name))).toEqual([]);
  });

  it('leave everything else alone', () => {
    const broken = new Set(VIOLATIONS.map(([, file]) => file));
    expect(found.filter((violation) => !broken.has(violation.split(': ')[1]!))).toEqual([]);
  });
});

async function cruise(cwd: string): Promise<Violation[]> {
  const bin = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = ['--config', CONFIG, '--output-type', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args, 'apps', 'libs', 'migrations', 'test'], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  });
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}
