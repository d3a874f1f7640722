import { lookup } from 'node:dns/promises';
import type { ResolvedAddress } from './resolver.js';

/** getaddrinfo: knows search domains and whatever else the system is set up for. It holds a thread of libuv's and cannot be cancelled. */
export async function askSystem(hostname: string): Promise<ResolvedAddress[]> {
  const answers = await lookup(hostname, { all: true });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
