import { askDns } from './ask-dns.js';
import { askSystem } from './ask-system.js';
import { DEFAULT_DNS_TIMEOUT_MS, type DnsOptions } from './dns.options.js';
import { HostsFile } from './hosts-file.js';
import { LookUps, LookUpTimeoutError, type Question } from './look-ups.js';
import type { ResolvedAddress, Resolver } from './resolver.js';
import type { PlaceLimits } from '../limits/tenant-places.js';

export interface NameResolverOptions extends DnsOptions {
  /** Default: getaddrinfo. */
  askSystem?: Question;
  hostsFile?: HostsFile;
  now?: () => number;
}

/** A DNS query costs a packet and little memory; the limits keep a tenant from flooding the shared server. */
const DNS_LIMITS: PlaceLimits = { total: 128, perTenant: 16 };

const LOOPBACK: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves host names such that one tenant's silent names delay no other tenant. DNS queries use none of libuv's few
 * threads. Only URLs set by an operator may use local names: the hosts file, and names that only the system resolves
 * (search domains, mDNS), by getaddrinfo and within narrow limits.
 */
export class NameResolver {
  private readonly dns: LookUps;
  private readonly system: LookUps;
  private readonly hostsFile: HostsFile;

  constructor(options: NameResolverOptions = {}) {
    const { servers, timeoutMs = DEFAULT_DNS_TIMEOUT_MS, now } = options;
    const shared = { timeoutMs, now };
    this.hostsFile = options.hostsFile ?? new HostsFile();
    this.dns = new LookUps({ ...shared, limits: DNS_LIMITS, ask: askDns(timeoutMs, servers) });
    this.system = new LookUps({ ...shared, limits: systemLimits(), ask: options.askSystem ?? askSystem });
  }

  readonly resolve: Resolver = async (hostname, signal, { tenantId, urlSetByOperator }) => {
    if (!urlSetByOperator) return isLocalhost(hostname) ? LOOPBACK : this.dns.ask(hostname, tenantId, signal);
    const listed = this.hostsFile.find(hostname);
    if (listed) return listed;
    if (isOnlyForSystem(hostname)) return this.system.ask(hostname, tenantId, signal);
    try {
      return await this.dns.ask(hostname, tenantId, signal);
    } catch (error) {
      if (signal.aborted || error instanceof LookUpTimeoutError) throw error;
      return this.system.ask(hostname, tenantId, signal);
    }
  };

  /** Aborts all running lookups. */
  close(): void {
    this.dns.close();
    this.system.close();
  }
}

/**
 * getaddrinfo holds a thread until it is done, which may be long after the last waiter has left. libuv gives lookups
 * half of its threads; one of those stays free for the rest of the process, which connects to its database by name.
 */
function systemLimits(): PlaceLimits {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  return { total: Math.max(1, Math.floor((threads + 1) / 2) - 1), perTenant: 1 };
}

/** RFC 6761: the name is this machine, and DNS servers must not be asked. */
function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** A name without a dot needs a search domain. */
function isOnlyForSystem(hostname: string): boolean {
  return !hostname.includes('.') || isLocalhost(hostname);
}
