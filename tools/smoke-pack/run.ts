import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import { run } from './command.ts';
import { makeHostProject } from './host-project.ts';
import { packWorkspaces } from './pack-workspaces.ts';

/**
 * Proves reusability: packs the libs as they would be published, installs the tarballs into an empty Nest project
 * outside of this workspace, compiles it against their types, and checks that it delivers an event.
 */
const ROOT = resolve(import.meta.dirname, '../..');
const scratch = await mkdtemp(join(tmpdir(), 'kernel-smoke-pack-'));

try {
  say('build the libs');
  await run('npm', ['run', '--silent', 'build:libs'], { cwd: ROOT });
  say('pack them');
  const tarballs = await packWorkspaces(ROOT, scratch);
  say('install the tarballs into an empty project');
  const project = await makeHostProject({ root: ROOT, directory: join(scratch, 'host'), tarballs });
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project });
  say('compile it against their types');
  await run('node', ['node_modules/typescript/bin/tsc'], { cwd: project });
  say('publish an event there and see it delivered');
  await withPostgres((url) => run('node', ['host-app.js'], { cwd: project, env: { DATABASE_URL: url } }));
  say('start the command line there');
  await run('node', ['node_modules/.bin/kernel-eventbus', '--help'], { cwd: project });
  say('ok');
} catch (error) {
  console.error(`smoke:pack failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function withPostgres(work: (url: string) => Promise<unknown>): Promise<void> {
  const postgres = await startEmbeddedPostgres({
    directory: join(scratch, 'postgres'),
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
