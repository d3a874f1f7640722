/** Base of every error of this library. Messages name ids and rule paths, never a payload value. */
export abstract class PrivacyError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class InvalidPrivacyOptionsError extends PrivacyError {
  readonly code: string = 'PRIVACY_OPTIONS_INVALID';

  constructor(problems: string, options?: ErrorOptions) {
    super(`PrivacyModule cannot start: ${problems}. Correct the options given to PrivacyModule.forRoot.`, options);
  }
}

export class InvalidPolicyError extends PrivacyError {
  readonly code: string = 'PRIVACY_POLICY_INVALID';

  constructor(eventType: string, problems: string, options?: ErrorOptions) {
    super(`The policy for "${eventType}" is refused and nothing was stored: ${problems}`, options);
  }
}

/** The privacy declaration of an event type is invalid. */
export class InvalidEventPrivacyError extends PrivacyError {
  readonly code: string = 'PRIVACY_EVENT_DECLARATION_INVALID';

  constructor(eventType: string, problems: string, options?: ErrorOptions) {
    super(`The privacy that "${eventType}" is declared with is not valid: ${problems}`, options);
  }
}

/** A stored policy that this version cannot read in full, so it is not applied at all. */
export class StoredPolicyInvalidError extends PrivacyError {
  readonly code: string = 'PRIVACY_STORED_POLICY_INVALID';

  constructor(policyId: string, problems: string, options?: ErrorOptions) {
    super(
      `Policy ${policyId} holds rules that this version does not understand: ${problems}. ` +
        'Put a new version of the policy, or run the version of the library that wrote it.',
      options,
    );
  }
}

/** Occurs only if the caller's transaction reads an old snapshot (REPEATABLE READ or SERIALIZABLE). */
export class PolicyVersionConflictError extends PrivacyError {
  readonly code: string = 'PRIVACY_POLICY_VERSION_CONFLICT';

  constructor(eventType: string, options?: ErrorOptions) {
    super(
      `Another transaction put a policy for "${eventType}" that this one cannot see. ` +
        'Roll back and try again, or put the policy at READ COMMITTED.',
      options,
    );
  }
}

/** A fault on the sending side: nothing may be sent, and a retry is right. */
export class PolicyUnavailableError extends PrivacyError {
  readonly code: string = 'PRIVACY_POLICY_UNAVAILABLE';

  constructor(
    tenantId: string,
    eventType: string,
    options?: ErrorOptions,
    problem = 'could not be read, so nothing may be sent. See the cause; try again once it is mended.',
  ) {
    super(`The policy of tenant ${tenantId} for "${eventType}" ${problem}`, options);
  }
}

/** Without the key a `hash` rule, and so the policy, cannot be applied. */
export class HashKeyUnavailableError extends PolicyUnavailableError {
  override readonly code = 'PRIVACY_HASH_KEY_UNAVAILABLE';

  constructor(tenantId: string, eventType: string, problem: string, options?: ErrorOptions) {
    const fix = 'Correct tenantHashKey in the options of PrivacyModule.forRoot.';
    super(tenantId, eventType, options, `hashes fields, but ${problem}, so nothing may be sent. ${fix}`);
  }
}

export class PayloadNotObjectError extends PrivacyError {
  readonly code: string = 'PRIVACY_PAYLOAD_NOT_OBJECT';

  constructor() {
    super('Only a JSON object can be redacted. Wrap the payload in an object with a named field.');
  }
}
