import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { signatureEvents } from '../../apps/signatures/src/signing/signature.events.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

describe('what is written about the port and the outbox', () => {
  it('[AC12] shows the use case as the tests run it', async () => {
    const section = (await read('docs/extending.md')).split('## The port for domain events')[1]!;
    const example = /```ts\n([^`]*)```/.exec(section)![1]!.trim().split('\n');
    const code = await read('test/extending/sign-document.ts');
    expect(example.length).toBeGreaterThan(3);
    for (const line of example) {
      expect(code).toContain(line.trim());
    }
  });

  it.each(['event-publisher.ts', 'outbox-event-publisher.ts', 'domain-event.ts', 'correlation-id-provider.ts'])(
    '[AC12] documents what %s exports',
    async (file) => {
      const lines = (await read(`libs/kernel-eventbus/src/outbox/domain-events/${file}`)).split('\n');
      const exported = lines.flatMap((line, index) => (line.startsWith('export ') ? [index] : []));
      expect(exported.length).toBeGreaterThan(0);
      for (const index of exported) {
        const above = lines.slice(0, index).findLast((line) => !line.startsWith('@'));
        expect([lines[index], above]).toEqual([lines[index], expect.stringMatching(/\*\/$/)]);
      }
    },
  );

  it('[AC12] the README draws the flow and explains it by an example', async () => {
    const readme = await read('README.md');
    expect(readme).toMatch(/```mermaid\nflowchart[^`]*outbox[^`]*deliveries/);
    expect(readme).toMatch(/```ts\n[^`]*em\.transactional[^`]*outbox\.publish/);
  });

  it('[AC6] [AC12] the README of signatures lists every event type', async () => {
    const listed = (await read('apps/signatures/README.md')).match(/`signature\.[a-z.-]+\.v1`/g)!;
    expect(listed.sort()).toEqual(signatureEvents.map(({ type }) => `\`${type}\``).sort());
  });
});
