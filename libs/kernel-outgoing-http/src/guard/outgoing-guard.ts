import type { DnsOptions } from '../dns/dns.options.js';
import { LookUpTimeoutError } from '../dns/look-ups.js';
import { NameResolver } from '../dns/name-resolver.js';
import type { ResolvedAddress, Resolver, UrlOwner } from '../dns/resolver.js';
import { untilAborted } from '../limits/until-aborted.js';
import { refuse, UrlPolicy, type CheckedUrl, type GuardRefusal, type PinnedUrl } from './url-policy.js';

/** Exceptions apply to URLs set by an operator or the host application; URLs of tenant admins get none. */
export interface OutgoingGuardOptions {
  /** Allows plain http. Default policy of the product: false. */
  allowHttp: boolean;
  /** Allowed ranges that are not global. */
  allowedCidrs: readonly string[];
  /**
   * Exact origins, spelled as `URL.origin` spells them, that may be plain http and whose host may be a non-global
   * address. A host name among them is resolved and vetted like any other. Default: none.
   */
  allowedOrigins?: readonly string[];
  dns?: DnsOptions;
  /** Called once per `vet`. Default: a `NameResolver`. */
  resolve?: Resolver;
  /** Operators' names for these settings, used in refusals. Default: the option names. */
  settingNames?: GuardSettingNames;
}

export interface GuardSettingNames {
  allowHttp?: string;
  allowedCidrs?: string;
}

export type AddressVerdict = PinnedUrl | GuardRefusal;

/**
 * Decides which addresses the library may connect to. Messages go to tenants: they repeat the tenant's input and never
 * a resolved address, which would map the operator's network.
 */
export class OutgoingGuard {
  private readonly ofOperators: UrlPolicy;
  private readonly ofTenants: UrlPolicy;
  private readonly names: NameResolver;
  private readonly resolve: Resolver;

  constructor({ allowHttp, allowedCidrs, allowedOrigins = [], dns, resolve, settingNames }: OutgoingGuardOptions) {
    const { allowHttp: httpSetting = 'allowHttp', allowedCidrs: cidrsSetting = 'allowedCidrs' } = settingNames ?? {};
    this.ofOperators = new UrlPolicy({
      ...{ allowHttp, allowedCidrs, allowedOrigins },
      fixes: {
        http: `use https, or let an operator set ${httpSetting} to true`,
        address: `use a public host, or let an operator add its range to ${cidrsSetting}`,
      },
    });
    this.ofTenants = new UrlPolicy({
      ...{ allowHttp: false, allowedCidrs: [], allowedOrigins: [] },
      fixes: {
        http: 'use https, or let an operator set this URL',
        address: 'use a public host, or let an operator set this URL',
      },
    });
    this.names = new NameResolver(dns);
    this.resolve = resolve ?? this.names.resolve;
  }

  /** Syntax and policy, without DNS. */
  checkUrl(text: string, { urlSetByOperator }: Pick<UrlOwner, 'urlSetByOperator'>): CheckedUrl | GuardRefusal {
    return this.policyFor(urlSetByOperator).check(text);
  }

  /** The verdict on a URL that needs no DNS, because its host is an address. */
  pinLiteral({ url, urlSetByOperator }: { url: string } & UrlOwner): PinnedUrl | undefined {
    const verdict = this.policyFor(urlSetByOperator).check(url);
    return verdict.isAllowed ? verdict.literal : undefined;
  }

  /** Resolves the host once, vets every address and returns the one to connect to. A literal address needs no DNS. */
  async vet(text: string, owner: UrlOwner, signal: AbortSignal): Promise<AddressVerdict> {
    const policy = this.policyFor(owner.urlSetByOperator);
    const verdict = policy.check(text);
    if (!verdict.isAllowed) return verdict;
    if (verdict.literal) return verdict.literal;

    const { url } = verdict;
    let answers: ResolvedAddress[];
    try {
      answers = await untilAborted(this.resolve(url.hostname, signal, owner), signal);
    } catch (error) {
      return signal.aborted
        ? refuse('aborted', `${url.hostname} was not resolved before the deadline`)
        : describe(url, error);
    }
    if (answers.length === 0) return refuse('dns', `${url.hostname} resolves to no address: check the host name`);
    const [first, ...others] = answers.map(({ address }) => policy.admit(address));
    if (!first || others.includes(undefined)) {
      return refuse('address', `${url.hostname} resolves to an address that is not public: ${policy.fixes.address}`);
    }
    return { isAllowed: true, url, ...first };
  }

  /** Aborts all running lookups. */
  close(): void {
    this.names.close();
  }

  private policyFor(urlSetByOperator: boolean): UrlPolicy {
    return urlSetByOperator ? this.ofOperators : this.ofTenants;
  }
}

function describe({ hostname }: URL, error: unknown): GuardRefusal {
  if (error instanceof LookUpTimeoutError) {
    return refuse('dns', `${hostname} does not resolve (ETIMEOUT): no DNS server answered for it in time`);
  }
  const code = (error as { code?: unknown } | null)?.code;
  return refuse(
    'dns',
    `${hostname} does not resolve (${typeof code === 'string' ? code : 'EAI_FAIL'}): check the host name`,
  );
}
