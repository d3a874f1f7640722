import { spawnSync } from 'node:child_process';

/** The one gate. Each step is an npm script of its own; the first that fails ends the check. */
const STATIC_STEPS = ['format:check', 'lint', 'types', 'architecture'];
// Migration drift is a suite among the tests: it needs their database.
const STEPS = process.argv.includes('--static') ? STATIC_STEPS : [...STATIC_STEPS, 'test'];

for (const [index, step] of STEPS.entries()) {
  console.log(`\n[${index + 1}/${STEPS.length}] npm run ${step}`);
  const startedAt = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', step], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (status !== 0) {
    console.error(`\ncheck failed at "${step}" after ${seconds} s; run it alone with: npm run ${step}`);
    process.exit(1);
  }
  console.log(`ok: ${step} (${seconds} s)`);
}
console.log(`\ncheck passed: ${STEPS.join(', ')}`);
