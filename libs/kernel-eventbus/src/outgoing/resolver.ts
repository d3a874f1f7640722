export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Whose request it is, and whether an operator or the host application set its URL, or an admin of the tenant. */
export interface UrlOwner {
  tenantId: string;
  urlSetByOperator: boolean;
}

export type Resolver = (hostname: string, signal: AbortSignal, owner: UrlOwner) => Promise<ResolvedAddress[]>;
