export { PrivacyModule } from './privacy.module.js';
export { PrivacyConfig, resolvePrivacyOptions, type PrivacyModuleOptions } from './privacy.options.js';

export {
  RedactionService,
  type JsonRedactionRequest,
  type JsonRedactionResult,
  type RedactionRequest,
  type RedactionResult,
} from './redaction.service.js';
export { redact, type ChangedPath, type Redaction } from './redact/redact.js';
export type { HashText } from './redact/pending-hash.js';
export { CHANGING_ACTIONS, MASK, type ChangingAction } from './redact/walk.js';
export type { AppliedPolicy } from './redact/compiled-policy.js';
export { envelopeChanges, type EnvelopeChanges } from './redact/envelope-changes.js';
export { listLeafPaths } from './redact/list-leaf-paths.js';
export { REMOVED_REASONS, type RemovedPath, type RemovedReason } from './redact/removed.js';
export { writeJson } from './redact/write-json.js';
export { hmacSha256 } from './redact/hmac-sha256.js';

export type { EventPrivacy } from './classification/event-privacy.js';
export { Classifier, type ClassifiedEvent, type Misfit } from './classification/classifier.js';
export { rulesAgainstLabels } from './redact/labels.js';

export { PolicyStore, type NewPolicy } from './policy/policy-store.js';
export { quoteInput } from './policy/quote-input.js';
export type { PolicyListing } from './policy/policies.sql.js';
export type { PrivacyPolicy } from './policy/privacy-policy.js';
export { PrivacyPolicyEntity, privacyEntities } from './policy/privacy-policy.entity.js';
export { PolicyRule, PolicyRules, POLICY_ACTIONS, type PolicyAction } from './policy/policy-rule.js';
export {
  ACTOR_ID_PATH,
  STREAM_KEY_PATH,
  formatPolicyPath,
  parsePolicyPath,
  type ParsedPath,
  type PathSegment,
} from './policy/policy-path.js';
export { parseJsonPath, type JsonPathSegment, type ParsedJsonPath } from './path/json-path.js';

export {
  HashKeyUnavailableError,
  InvalidEventPrivacyError,
  InvalidPolicyError,
  InvalidPrivacyOptionsError,
  PayloadNotObjectError,
  PolicyUnavailableError,
  PolicyVersionConflictError,
  PrivacyError,
  StoredPolicyInvalidError,
} from './privacy.errors.js';
