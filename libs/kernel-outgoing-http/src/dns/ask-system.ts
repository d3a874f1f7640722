import { lookup } from 'node:dns/promises';
import type { ResolvedAddress } from './resolver.js';

/** getaddrinfo: supports search domains and the system's other sources. Holds a libuv thread, cannot be cancelled. */
export async function askSystem(hostname: string): Promise<ResolvedAddress[]> {
  const answers = await lookup(hostname, { all: true });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
