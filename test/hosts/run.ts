import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from '../../tools/smoke-pack/command.ts';
import { makeHostProject, NEST_11_HOST, NEST_12_HOST } from '../../tools/smoke-pack/host-project.ts';
import { packWorkspaces } from '../../tools/smoke-pack/pack-workspaces.ts';
import { tryCases } from './try-cases.ts';

/** Every set-up of a host on every platform and version of NestJS, from packed tarballs. Prints a table. */
const ROOT = resolve(import.meta.dirname, '../..');
const SET_UPS = ['plain', 'pipe', 'guard', 'interceptor', 'prefix', 'versioning'];
const scratch = await mkdtemp(join(tmpdir(), 'kernel-hosts-'));
try {
  await run('npm', ['run', '--silent', 'build:libs'], { cwd: ROOT });
  const tarballs = await packWorkspaces(ROOT, scratch);
  const rows: string[] = [];
  for (const [name, host] of Object.entries({ 'NestJS 12': NEST_12_HOST, 'NestJS 11': NEST_11_HOST })) {
    const project = await makeHostProject({
      root: ROOT,
      directory: join(scratch, name.replace(' ', '-')),
      tarballs,
      host,
    });
    const cases = ['express', 'fastify'].flatMap((platform) => SET_UPS.map((setUp) => ({ platform, setUp })));
    for (const { platform, setUp, failure } of await tryCases(project, scratch, cases)) {
      rows.push(`${name}  ${platform}  ${setUp.padEnd(12)} ${failure ? 'FAILED' : 'ok'}`);
      if (failure) {
        console.error(failure);
        process.exitCode = 1;
      }
    }
  }
  console.log(rows.join('\n'));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
