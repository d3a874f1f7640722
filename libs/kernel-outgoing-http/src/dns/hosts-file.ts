import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { ipv4First } from './ipv4-first.js';
import type { ResolvedAddress } from './resolver.js';

/** Names in /etc/hosts, which no DNS server knows. Read again after changes; an unreadable file has no names. */
export class HostsFile {
  private version = '';
  private names = new Map<string, ResolvedAddress[]>();

  constructor(private readonly path = '/etc/hosts') {}

  find(hostname: string): ResolvedAddress[] | undefined {
    const version = this.currentVersion();
    if (version !== this.version) {
      this.version = version;
      this.names = parseHosts(this.read());
    }
    return this.names.get(hostname);
  }

  private currentVersion(): string {
    const status = statSync(this.path, { throwIfNoEntry: false });
    return status ? `${status.ino} ${status.mtimeMs} ${status.size}` : '';
  }

  private read(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch {
      return '';
    }
  }
}

function parseHosts(text: string): Map<string, ResolvedAddress[]> {
  const names = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (!family || address.includes('%')) continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      names.set(name, ipv4First([...(names.get(name) ?? []), { address, family: family === 6 ? 6 : 4 }]));
    }
  }
  return names;
}
