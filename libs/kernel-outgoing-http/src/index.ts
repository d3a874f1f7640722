export { type DnsOptions, DnsOptionsSchema } from './dns/dns.options.js';
export type { UrlOwner } from './dns/resolver.js';
export { type GuardSettingNames, OutgoingGuard } from './guard/outgoing-guard.js';
export { hasSpaceOrControl, hasUserinfo } from './guard/url-host.js';
export { type PlaceLimits, TenantPlaces } from './limits/tenant-places.js';
export { OutgoingHttpModule } from './outgoing-http.module.js';
export { type OutgoingHttpOptions, createOutgoingHttp } from './send/create-outgoing-http.js';
export { OutgoingHttp, type OutgoingRequest, type OutgoingResult } from './send/outgoing-http.js';
