import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Snippet {
  path: string;
  code: string;
}

const KERNEL_FILE = 'libs/kernel-eventbus/src/dispatch/call-home.ts';
const DOMAIN_FILE = 'apps/erp/src/invoices/invoices.service.ts';

/** The messages of the project's own ESLint configuration for each snippet. */
async function lint(snippets: Snippet[]): Promise<string[][]> {
  const child = promisify(execFile)(process.execPath, [join(import.meta.dirname, 'lint-snippets.mjs')]);
  child.child.stdin!.end(JSON.stringify(snippets));
  return JSON.parse((await child).stdout) as string[][];
}

describe('[KER-6a] a domain that calls a webhook itself', () => {
  const calls: Record<string, string> = {
    'an import of node:http': `import { request } from 'node:http'; request('http://x.test');`,
    'an import of https without its prefix': `import https from 'https'; https.get('https://x.test');`,
    'an import for the side effect': `import 'node-fetch';`,
    'an import of axios': `import axios from 'axios'; await axios.post('https://x.test');`,
    "an import of Nest's HttpService": `import { HttpService } from '@nestjs/axios'; export const c = HttpService;`,
    'an import of undici': `import { fetch as send } from 'undici'; await send('https://x.test');`,
    'an import of a file of a client': `import post from 'axios/lib/axios.js'; post();`,
    'an import with a type beside it': `import { type Agent, request } from 'node:https'; export const r = request as Agent;`,
    'a raw socket': `import { connect } from 'node:net'; connect(80, 'x.test');`,
    'a re-export': `export { request } from 'node:http';`,
    'a re-export of everything': `export * from 'got';`,
    'a dynamic import': `const { request } = await import('node:http'); request('http://x.test');`,
    'a dynamic import with a template': 'await import(`undici`);',
    'a dynamic import of a name put together': `const name = 'axi' + 'os'; await import(name);`,
    'a require': `const http = require('http'); http.get('http://x.test');`,
    'a require made by hand': `import { createRequire } from 'node:module'; const load = createRequire(import.meta.url); load('axios');`,
    'a require of the module': `module.require('axios');`,
    'a require in the manner of TypeScript': `import http = require('node:http'); http.get('http://x.test');`,
    'a builtin asked from the process': `process.getBuiltinModule('node:http').get('http://x.test');`,
    'the global fetch': `await fetch('https://x.test', { method: 'POST' });`,
    'the global fetch under another name': `const send = fetch; await send('https://x.test');`,
    'fetch of globalThis': `await globalThis.fetch('https://x.test');`,
    'fetch of globalThis by index': `await globalThis['fetch']('https://x.test');`,
    'fetch taken out of globalThis': `const { fetch: send } = globalThis; await send('https://x.test');`,
    'an XMLHttpRequest': `export const request = new XMLHttpRequest();`,
    'a WebSocket': `export const socket = new WebSocket('wss://x.test');`,
    'a comment that switches the trap off': `/* eslint-disable */\nawait fetch('https://x.test'); // eslint-disable-line`,
  };
  const clean: Record<string, Snippet> = {
    'a module that publishes': {
      path: DOMAIN_FILE,
      code: `import type { OutboxService } from '@kernel/eventbus';
        export const post = (outbox: OutboxService) => outbox.publish({ type: 'invoice.posted.v1' } as never);`,
    },
    'a type of node:http': {
      path: DOMAIN_FILE,
      code: `import type { IncomingMessage } from 'node:http'; export const id = (request: IncomingMessage) => request.url;`,
    },
    'the pure functions of node:net': {
      path: DOMAIN_FILE,
      code: `import { type AddressInfo, isIP } from 'node:net'; export const ok = (a: AddressInfo) => isIP(a.address) > 0;`,
    },
    'a method that happens to be called fetch': {
      path: DOMAIN_FILE,
      code: `export const load = (store: { fetch(id: string): unknown }, fetch: () => unknown) => [store.fetch('1'), fetch()];`,
    },
    'the spec of a domain': {
      path: 'apps/erp/src/invoices/invoices.e2e-spec.ts',
      code: `await fetch('http://127.0.0.1:3000/invoices');`,
    },
    'the launcher': { path: 'apps/launcher/wait-until-ready.ts', code: `await fetch('http://127.0.0.1:3000/health');` },
    "a class's own method that happens to be called require": {
      path: DOMAIN_FILE,
      code: `export class A { constructor(readonly b: A) {} require(id: string): unknown { return id && this.b.require(id); } }`,
    },
    'the kernel, whose duty it is': {
      path: 'libs/kernel-outgoing-http/src/send/send.ts',
      code: `import { request } from 'undici'; await request('https://x.test');`,
    },
  };

  const strays: Record<string, Snippet> = {
    fetch: { path: KERNEL_FILE, code: `await fetch('https://x.test');` },
    'an import of a client': {
      path: KERNEL_FILE,
      code: `import { request } from 'undici'; await request('https://x.test');`,
    },
    'an import in another lib': {
      path: 'libs/kernel-privacy/src/policy/load-policy.ts',
      code: `import { HttpService } from '@nestjs/axios'; export const c = HttpService;`,
    },
  };

  let verdicts: Map<string, string[]>;
  beforeAll(async () => {
    const snippets = [
      ...Object.values(calls).map((code) => ({ path: DOMAIN_FILE, code })),
      ...Object.values(strays),
      ...Object.values(clean),
    ];
    const names = [calls, strays, clean].flatMap((kind) => Object.keys(kind));
    const messages = await lint(snippets);
    verdicts = new Map(names.map((name, index) => [name, messages[index]!]));
  });

  it.each(Object.keys(calls))('is caught: %s', (name) => {
    const caught = verdicts.get(name)!.filter((message) => message.startsWith('kernel/no-http-client: '));
    expect(caught).not.toEqual([]);
  });

  it('is told what to do instead', () => {
    expect(verdicts.get('the global fetch')).toEqual([
      'kernel/no-http-client: `fetch` reaches the network past the outbox: publish an event; the kernel delivers it.',
    ]);
  });

  it.each(Object.keys(strays))('[KER-6a] is caught in the kernel, past its guard: %s', (name) => {
    expect(verdicts.get(name)).toEqual([
      expect.stringMatching(/^kernel\/no-http-client: .* past the guard: send it through OutgoingHttp\.$/),
    ]);
  });

  it.each(Object.keys(clean))('is not confused with %s', (name) => {
    expect(verdicts.get(name)).toEqual([]);
  });
});
