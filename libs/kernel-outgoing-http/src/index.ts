/** Guarded outgoing HTTP: vetted and pinned addresses, one deadline, capped responses. */
export { OutgoingHttpModule } from './outgoing-http.module.js';
export { createOutgoingHttp, type OutgoingHttpOptions } from './send/create-outgoing-http.js';
export { OutgoingHttp, type OutgoingRequest, type OutgoingResult } from './send/outgoing-http.js';

// The guard and its settings
export { type GuardSettingNames, OutgoingGuard } from './guard/outgoing-guard.js';
export { hasSpaceOrControl, hasUserinfo } from './guard/url-host.js';
export { secretsIn, splitUrl } from './guard/url-secrets.js';
export { type DnsOptions, DnsOptionsSchema } from './dns/dns.options.js';
export type { UrlOwner } from './dns/resolver.js';

// Limits shared by tenants
export { type PlaceLimits, TenantPlaces } from './limits/tenant-places.js';
