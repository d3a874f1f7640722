import { spawn } from 'node:child_process';

/**
 * The one gate. Each step is an npm script. Read-only steps run in parallel; the output of each is printed in one
 * piece.
 */
const STATIC_STEPS = ['lint', 'types', 'format:check', 'architecture'];
const AT_ONCE = 2;

const isStatic = process.argv.includes('--static');
const failed = await runAll(STATIC_STEPS);
// Migration drift is one of the test suites: it needs their database. Tests run after the other steps, which are fast.
if (failed.length === 0 && !isStatic) {
  failed.push(...(await runAll(['test'])));
}
if (failed.length > 0) {
  console.error(`\ncheck failed at ${failed.map((step) => `"npm run ${step}"`).join(', ')}`);
  process.exit(1);
}
console.log(`\ncheck passed: ${[...STATIC_STEPS, ...(isStatic ? [] : ['test'])].join(', ')}`);

async function runAll(steps) {
  const waiting = [...steps];
  const failed = [];
  const workThrough = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      if (!(await run(step, steps.length === 1))) {
        failed.push(step);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough));
  return failed;
}

function run(step, isAlone) {
  console.log(`npm run ${step} ...`);
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', step], {
    stdio: isAlone ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => output.push(text));
  }
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      process.stdout.write(output.join(''));
      console.log(code === 0 ? `ok: ${step} (${seconds} s)` : `FAILED: ${step} (${seconds} s)`);
      resolve(code === 0);
    });
  });
}
