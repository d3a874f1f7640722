import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../apps/launcher/embedded-postgres.ts';
import { run } from '../../tools/smoke-pack/command.ts';

export interface HostCase {
  platform: string;
  setUp: string;
}

/** Installs and compiles the project once, then runs each case on a new database server. */
export async function tryCases<Case extends HostCase>(
  project: string,
  scratch: string,
  cases: readonly Case[],
): Promise<(Case & { failure?: string })[]> {
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: project });
  await run('node', ['node_modules/typescript/bin/tsc'], { cwd: project });
  const results: (Case & { failure?: string })[] = [];
  for (const [index, hostCase] of cases.entries()) {
    const postgres = await startEmbeddedPostgres({
      directory: join(scratch, `postgres-${project.split('/').at(-1)}-${index}`),
      settings: { fsync: 'off', full_page_writes: 'off' },
    });
    try {
      const args = ['app.js', hostCase.platform, hostCase.setUp];
      await run('node', args, { cwd: project, env: { DATABASE_URL: postgres.url } });
      results.push(hostCase);
    } catch (error) {
      results.push({ ...hostCase, failure: error instanceof Error ? error.message : String(error) });
    } finally {
      await postgres.stop();
    }
  }
  return results;
}
