import type { ResolvedAddress } from '../dns/resolver.js';
import {
  hasBackslash,
  hasEmptyLabel,
  hasSpaceOrControl,
  hasUserinfo,
  literalHost,
  withoutTrailingDot,
} from './url-host.js';
import { canonicalAddress, isGlobalAddress, isInCidrs, parseCidrs, type Cidr } from './vet-address.js';

export interface UrlPolicyOptions {
  /** Allows plain http. */
  allowHttp: boolean;
  /** Allowed ranges that are not global. */
  allowedCidrs: readonly string[];
  /** Exact origins that may be plain http and whose host may be a non-global address. */
  allowedOrigins: readonly string[];
  /** Advice at the end of a refusal. */
  fixes: { http: string; address: string };
}

export type GuardRefusalCode = 'malformed' | 'scheme' | 'userinfo' | 'fragment' | 'address' | 'dns' | 'aborted';
export type GuardRefusal = { isAllowed: false; code: GuardRefusalCode; message: string };

/** `url` is normalised. */
export type CheckedUrl = { isAllowed: true; url: URL; literal: PinnedUrl | undefined };
export type PinnedUrl = { isAllowed: true; url: URL } & ResolvedAddress;

const MAX_REMEMBERED = 4_096;
const USERINFO_FIX = 'a user name or password in the URL is refused: send credentials in a header';

/**
 * Decides which URLs and addresses are allowed, without DNS. The results are pure and needed at every attempt, so they
 * are cached.
 */
export class UrlPolicy {
  readonly fixes: UrlPolicyOptions['fixes'];
  private readonly allowHttp: boolean;
  private readonly allowedCidrs: Cidr[];
  private readonly allowedOrigins: ReadonlySet<string>;
  private readonly checked = new Map<string, CheckedUrl | GuardRefusal>();
  private readonly admitted = new Map<string, ResolvedAddress | undefined>();

  constructor(options: UrlPolicyOptions) {
    this.allowHttp = options.allowHttp;
    this.allowedCidrs = parseCidrs(options.allowedCidrs);
    this.allowedOrigins = new Set(options.allowedOrigins);
    this.fixes = options.fixes;
  }

  check(text: string): CheckedUrl | GuardRefusal {
    const known = this.checked.get(text);
    if (known) return known;
    const verdict = this.checkText(text);
    if (this.checked.size >= MAX_REMEMBERED) this.checked.clear();
    this.checked.set(text, verdict);
    return verdict;
  }

  /** The address to connect to, or undefined if it is not allowed. */
  admit(address: string): ResolvedAddress | undefined {
    if (this.admitted.has(address)) return this.admitted.get(address);
    const isAllowed = isGlobalAddress(address) || isInCidrs(address, this.allowedCidrs);
    const answer = isAllowed ? canonicalAddress(address) : undefined;
    if (this.admitted.size >= MAX_REMEMBERED) this.admitted.clear();
    this.admitted.set(address, answer);
    return answer;
  }

  private checkText(text: string): CheckedUrl | GuardRefusal {
    if (hasSpaceOrControl(text)) return refuse('malformed', 'the URL contains a space or a control character');
    if (hasBackslash(text)) return refuse('malformed', 'the URL contains a backslash: write / in its place');
    const url = URL.parse(text);
    if (!url) return refuse('malformed', 'the URL cannot be parsed: write it like https://example.com/webhooks');
    const verdict = this.checkParsed(url);
    return verdict.isAllowed && hasUserinfo(text) ? refuse('userinfo', USERINFO_FIX) : verdict;
  }

  private checkParsed(url: URL): CheckedUrl | GuardRefusal {
    if (url.protocol === 'http:' && !this.allowHttp && !this.allowedOrigins.has(url.origin)) {
      return refuse('scheme', `plain http is refused: ${this.fixes.http}`);
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      return refuse('scheme', `the scheme ${url.protocol} is refused: use https`);
    }
    if (url.username || url.password) return refuse('userinfo', USERINFO_FIX);
    if (url.href.includes('#')) return refuse('fragment', 'a fragment (#...) is never sent: remove it from the URL');
    if (url.port === '0') return refuse('malformed', 'nothing can listen on port 0: write the port of the receiver');
    return this.checkHost(withoutTrailingDot(url));
  }

  private checkHost(url: URL): CheckedUrl | GuardRefusal {
    if (hasEmptyLabel(url)) {
      return refuse('malformed', 'the host name has an empty label: write it like example.com');
    }
    const address = literalHost(url);
    if (!address) return { isAllowed: true, url, literal: undefined };
    const pinned = this.allowedOrigins.has(url.origin) ? canonicalAddress(address) : this.admit(address);
    if (!pinned) return refuse('address', `the address ${url.hostname} is not public: ${this.fixes.address}`);
    return { isAllowed: true, url, literal: { isAllowed: true, url, ...pinned } };
  }
}

export function refuse(code: GuardRefusalCode, message: string): GuardRefusal {
  return { isAllowed: false, code, message };
}
