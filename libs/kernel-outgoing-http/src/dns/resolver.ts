export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Tenant of a request; `urlSetByOperator` is false if a tenant admin set the URL, true for an operator or the host. */
export interface UrlOwner {
  tenantId: string;
  urlSetByOperator: boolean;
}

export type Resolver = (hostname: string, signal: AbortSignal, owner: UrlOwner) => Promise<ResolvedAddress[]>;
