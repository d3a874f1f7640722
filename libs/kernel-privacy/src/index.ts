export { PrivacyModule } from './privacy.module.js';
export { PrivacyConfig, resolvePrivacyOptions, type PrivacyModuleOptions } from './privacy.options.js';

export {
  RedactionService,
  type AppliedPolicy,
  type RedactionRequest,
  type RedactionResult,
} from './redaction.service.js';
export { redact, MASK, type ChangedPath, type HashText, type Redaction, type RemovedPath } from './redact/redact.js';
export { hmacSha256 } from './redact/hmac-sha256.js';

export { PolicyStore, type NewPolicy } from './policy/policy-store.js';
export type { PolicyListing } from './policy/list-current-policies.sql.js';
export type { PrivacyPolicy } from './policy/privacy-policy.js';
export { PrivacyPolicyEntity, privacyEntities } from './policy/privacy-policy.entity.js';
export { PolicyRule, PolicyRules, POLICY_ACTIONS, type PolicyAction } from './policy/policy-rule.js';
export {
  ACTOR_ID_PATH,
  formatPolicyPath,
  parsePolicyPath,
  type ParsedPath,
  type PathSegment,
} from './policy/policy-path.js';
export { parseJsonPath, type JsonPathSegment, type ParsedJsonPath } from './path/json-path.js';

export {
  HashKeyUnavailableError,
  InvalidPolicyError,
  InvalidPrivacyOptionsError,
  PayloadNotObjectError,
  PayloadTooDeepError,
  PolicyUnavailableError,
  PolicyVersionConflictError,
  PrivacyError,
  StoredPolicyInvalidError,
} from './privacy.errors.js';
