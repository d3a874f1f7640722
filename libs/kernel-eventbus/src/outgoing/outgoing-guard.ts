import { createSystemResolver, untilAborted } from './system-resolver.js';
import type { ResolvedAddress, Resolver } from './system-resolver.js';
import {
  hasBackslash,
  hasEmptyLabel,
  hasSpaceOrControl,
  hasUserinfo,
  literalHost,
  withoutTrailingDot,
} from './url-host.js';
import { canonicalAddress, isGlobalAddress, isInCidrs, parseCidrs } from './vet-address.js';
import type { Cidr } from './vet-address.js';

export interface OutgoingGuardOptions {
  /** Whether plain http is let through. Default policy of the product: false. */
  allowHttp: boolean;
  /** Ranges let through although not global. */
  allowedCidrs: readonly string[];
  /**
   * Exact origins, spelled as `URL.origin` spells them, that may be plain http and whose host may be an address that is
   * not global. A host name among them is resolved and vetted like any other. Default: none.
   */
  allowedOrigins?: readonly string[];
  /** Asked once per `vet`. Default: getaddrinfo. */
  resolve?: Resolver;
  /** What operators know these settings as; a refusal names them. Default: the names of the options. */
  settingNames?: GuardSettingNames;
}

export interface GuardSettingNames {
  allowHttp?: string;
  allowedCidrs?: string;
}

export type GuardRefusalCode = 'malformed' | 'scheme' | 'userinfo' | 'fragment' | 'address' | 'dns' | 'aborted';
export type GuardRefusal = { isAllowed: false; code: GuardRefusalCode; message: string };
export type GuardVerdict = { isAllowed: true; url: URL } | GuardRefusal;
export type AddressVerdict = ({ isAllowed: true; url: URL } & ResolvedAddress) | GuardRefusal;

const maxRemembered = 4_096;

/**
 * Decides where the library may connect to. Messages go to tenants: they repeat what the tenant typed and never what a
 * name resolved to, which would map the operator's network.
 */
export class OutgoingGuard {
  private readonly allowHttp: boolean;
  private readonly allowedCidrs: Cidr[];
  private readonly allowedOrigins: ReadonlySet<string>;
  private readonly resolve: Resolver;
  private readonly httpFix: string;
  private readonly addressFix: string;
  /** What `admit` said: a pure answer per address, asked at every attempt. */
  private readonly admitted = new Map<string, ResolvedAddress | undefined>();
  /** What `checkUrl` said: likewise. */
  private readonly checked = new Map<string, GuardVerdict>();
  /** By the URL that `checkUrl` remembers; null: it names a host. */
  private readonly literals = new WeakMap<URL, AddressVerdict | null>();

  constructor(options: OutgoingGuardOptions) {
    this.allowHttp = options.allowHttp;
    this.allowedCidrs = parseCidrs(options.allowedCidrs);
    this.allowedOrigins = new Set(options.allowedOrigins);
    this.resolve = options.resolve ?? createSystemResolver();
    const { allowHttp = 'allowHttp', allowedCidrs = 'allowedCidrs' } = options.settingNames ?? {};
    this.httpFix = `use https, or let an operator set ${allowHttp} to true`;
    this.addressFix = `use a public host, or let an operator add its range to ${allowedCidrs}`;
  }

  /** Syntax and policy without DNS, for the moment an endpoint is saved. The URL in the verdict is the normalised one. */
  checkUrl(text: string): GuardVerdict {
    const known = this.checked.get(text);
    if (known) return known;
    const verdict = this.check(text);
    if (this.checked.size >= maxRemembered) this.checked.clear();
    this.checked.set(text, verdict);
    return verdict;
  }

  private check(text: string): GuardVerdict {
    if (hasSpaceOrControl(text)) return refuse('malformed', 'the URL contains a space or a control character');
    if (hasBackslash(text)) return refuse('malformed', 'the URL contains a backslash: write / in its place');
    const url = URL.parse(text);
    if (!url) return refuse('malformed', 'the URL cannot be parsed: write it like https://example.com/webhooks');
    const verdict = this.checkParsed(url);
    return verdict.isAllowed && hasUserinfo(text) ? refuse('userinfo', userinfoFix) : verdict;
  }

  /** Resolves the host once, vets every address and names the one to connect to. */
  async vet(target: URL | string, signal: AbortSignal): Promise<AddressVerdict> {
    const verdict = typeof target === 'string' ? this.checkUrl(target) : this.checkParsed(target);
    if (!verdict.isAllowed) return verdict;
    const { url } = verdict;

    // Only a URL of our own is remembered: a caller's may have another host by the next time.
    const literal = typeof target === 'string' ? this.rememberedLiteral(url) : this.literalOf(url);
    if (literal) return literal;

    let answers: ResolvedAddress[];
    try {
      answers = await untilAborted(this.resolve(url.hostname, signal), signal);
    } catch (error) {
      if (signal.aborted) return refuse('aborted', `${url.hostname} was not resolved in time`);
      return refuse('dns', `${url.hostname} does not resolve (${dnsCode(error)}): check the host name`);
    }
    if (answers.length === 0) return refuse('dns', `${url.hostname} resolves to no address: check the host name`);
    const [first, ...others] = answers.map(({ address }) => this.admit(address));
    if (!first || others.includes(undefined)) {
      return refuse('address', `${url.hostname} resolves to an address that is not public: ${this.addressFix}`);
    }
    return { isAllowed: true, url, ...first };
  }

  private rememberedLiteral(url: URL): AddressVerdict | undefined {
    let verdict = this.literals.get(url);
    if (verdict === undefined) {
      verdict = this.literalOf(url) ?? null;
      this.literals.set(url, verdict);
    }
    return verdict ?? undefined;
  }

  /** An address in the URL itself needs no DNS. The URL was checked, so it is admitted. */
  private literalOf(url: URL): AddressVerdict | undefined {
    const literal = literalHost(url);
    return literal ? { ...this.admitLiteral(literal, url)!, isAllowed: true, url } : undefined;
  }

  private checkParsed(url: URL): GuardVerdict {
    if (url.protocol === 'http:' && !this.allowHttp && !this.allowedOrigins.has(url.origin)) {
      return refuse('scheme', `plain http is refused: ${this.httpFix}`);
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      return refuse('scheme', `the scheme ${url.protocol} is refused: use https`);
    }
    if (url.username || url.password) return refuse('userinfo', userinfoFix);
    if (url.href.includes('#')) return refuse('fragment', 'a fragment (#...) is never sent: remove it from the URL');
    if (url.port === '0') return refuse('malformed', 'nothing can listen on port 0: write the port of the receiver');
    return this.checkHost(url);
  }

  private checkHost(url: URL): GuardVerdict {
    const named = withoutTrailingDot(url);
    if (hasEmptyLabel(named)) {
      return refuse('malformed', 'the host name has an empty label: write it like example.com');
    }
    const literal = literalHost(named);
    if (literal && !this.admitLiteral(literal, named)) {
      return refuse('address', `the address ${named.hostname} is not public: ${this.addressFix}`);
    }
    return { isAllowed: true, url: named };
  }

  private admitLiteral(address: string, { origin }: URL): ResolvedAddress | undefined {
    return this.allowedOrigins.has(origin) ? canonicalAddress(address) : this.admit(address);
  }

  /** The address to connect to, or undefined if it is off limits. */
  private admit(address: string): ResolvedAddress | undefined {
    if (this.admitted.has(address)) return this.admitted.get(address);
    const isAllowed = isGlobalAddress(address) || isInCidrs(address, this.allowedCidrs);
    const answer = isAllowed ? canonicalAddress(address) : undefined;
    if (this.admitted.size >= maxRemembered) this.admitted.clear();
    this.admitted.set(address, answer);
    return answer;
  }
}

const userinfoFix = 'a user name or password in the URL is refused: send credentials in a header';

function refuse(code: GuardRefusalCode, message: string): GuardRefusal {
  return { isAllowed: false, code, message };
}

function dnsCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'EAI_FAIL';
}
