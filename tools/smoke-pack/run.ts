import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import { run } from './command.ts';
import { tryCases, type HostCase } from '../../test/hosts/try-cases.ts';
import { FULL_HOST, LEAN_HOST, makeHostProject, NEST_11_HOST, NEST_12_HOST, type Host } from './host-project.ts';
import { packWorkspaces } from './pack-workspaces.ts';

/**
 * Packs the libs as they would be published and installs the tarballs into two empty Nest projects outside of this
 * workspace: one that only publishes and delivers, one with every package. Each is compiled against their types and
 * delivers an event.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const scratch = await mkdtemp(join(tmpdir(), 'kernel-smoke-pack-'));

try {
  say('build the libs');
  await run('npm', ['run', '--silent', 'build:libs'], { cwd: ROOT });
  say('pack them');
  const tarballs = await packWorkspaces(ROOT, scratch);
  await tryHost('lean', LEAN_HOST, tarballs);
  const full = await tryHost('full', FULL_HOST, tarballs);
  say('start the command line there');
  await run('node', ['node_modules/.bin/kernel-eventbus', '--help'], { cwd: full });
  await tryHostCases('nest-12', NEST_12_HOST, tarballs, [
    { platform: 'express', setUp: 'plain' },
    { platform: 'fastify', setUp: 'guard' },
  ]);
  await tryHostCases('nest-11', NEST_11_HOST, tarballs, [{ platform: 'express', setUp: 'plain' }]);
  say('ok');
} catch (error) {
  console.error(`smoke:pack failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function tryHost(name: string, host: Host, tarballs: Record<string, string>): Promise<string> {
  say(`${name}: install the tarballs into an empty project`);
  const project = await makeHostProject({ root: ROOT, directory: join(scratch, name), tarballs, host });
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project });
  const unwanted = host.absent.filter((dependency) => existsSync(join(project, 'node_modules', dependency)));
  if (unwanted.length > 0) {
    throw new Error(`${unwanted.join(', ')} came with ${host.kernel.toString()}, which does not need it`);
  }
  say(`${name}: compile it against their types`);
  await run('node', ['node_modules/typescript/bin/tsc'], { cwd: project });
  say(`${name}: publish an event there and see it delivered`);
  await withPostgres(name, (url) => run('node', ['app.js'], { cwd: project, env: { DATABASE_URL: url } }));
  return project;
}

/** A few of `npm run test:hosts`. */
async function tryHostCases(name: string, host: Host, tarballs: Record<string, string>, cases: HostCase[]) {
  say(`${name}: ${cases.map(({ platform, setUp }) => `${platform} ${setUp}`).join(', ')}`);
  const project = await makeHostProject({ root: ROOT, directory: join(scratch, name), tarballs, host });
  const failures = (await tryCases(project, scratch, cases)).flatMap(({ failure }) => failure ?? []);
  if (failures.length > 0) {
    throw new Error(failures.join('\n'));
  }
}

async function withPostgres(name: string, work: (url: string) => Promise<unknown>): Promise<void> {
  const postgres = await startEmbeddedPostgres({
    directory: join(scratch, `postgres-${name}`),
    settings: { fsync: 'off', full_page_writes: 'off' },
  });
  try {
    await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

function say(what: string): void {
  console.log(`smoke:pack (${process.uptime().toFixed(1)} s): ${what}`);
}
