import { printableAlias } from './secret-alias.js';
import type { SecretKind, SignatureScheme } from './secret-kind.js';

/** Base of every error of the library: a stable `code` for programs, a message that names the fix, never a secret. */
export abstract class SecretsError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class InvalidSecretsOptionsError extends SecretsError {
  readonly code = 'SECRETS_INVALID_OPTIONS';
}

/** The store did not answer, or its answer is unusable: a fault on the sending side, to be retried. */
export class SecretsUnavailableError extends SecretsError {
  readonly code: string = 'SECRETS_UNAVAILABLE';
}

export class SecretUndecryptableError extends SecretsUnavailableError {
  override readonly code = 'SECRET_UNDECRYPTABLE';

  constructor(alias: string, version: number, options?: ErrorOptions) {
    super(
      `version ${version} of the secret ${printableAlias(alias)} does not decrypt: it was altered, copied from elsewhere or ` +
        'encrypted under another master key. Revoke this version and put a new one.',
      options,
    );
  }
}

const FORMS: Record<SecretKind, string> = {
  hmac: 'a signing secret is "whsec_" followed by base64 of 24 to 64 bytes',
  ed25519: 'a signing key is "whsk_" followed by base64 of 32 bytes (the seed) or 64 (seed and public key)',
  credential: 'a credential is 1 to 4096 visible ASCII characters and blanks, as it goes into a header',
};

export class InvalidSecretError extends SecretsError {
  readonly code = 'SECRET_INVALID';

  constructor(kind: SecretKind, problem: string) {
    const way = kind === 'credential' ? 'Correct it.' : 'Correct it, or have the vault make one by giving no value.';
    super(`${FORMS[kind]}; this one ${problem}. ${way}`);
  }
}

/**
 * An alias holds one kind of secret at a time. Otherwise an endpoint would sign with a key its receiver does not
 * expect.
 */
export class SecretKindMismatchError extends SecretsError {
  readonly code = 'SECRET_KIND_MISMATCH';

  constructor(alias: string, there: SecretKind, given: SecretKind) {
    super(
      `the alias ${printableAlias(alias)} holds a secret of the kind ${there}, and ${given} was given: ` +
        'choose another alias, or revoke its live versions first.',
    );
  }
}

/** Each live version adds a signature to every webhook. */
export class TooManyLiveVersionsError extends SecretsError {
  readonly code = 'SECRET_TOO_MANY_VERSIONS';

  constructor(alias: string, most: number) {
    super(`the secret ${printableAlias(alias)} has ${most} live versions, the most it can have: revoke one first.`);
  }
}

export class InvalidSecretAddressError extends SecretsError {
  readonly code = 'SECRET_ADDRESS_INVALID';

  constructor(
    readonly path: 'tenantId' | 'alias',
    problem: string,
  ) {
    super(`${path}: ${problem}`);
  }
}

export class SigningSecretNotFoundError extends SecretsError {
  readonly code = 'SIGNING_SECRET_NOT_FOUND';

  constructor(
    readonly tenantId: string,
    alias: string,
    scheme: SignatureScheme = 'v1',
  ) {
    super(
      `the secret ${printableAlias(alias)} of tenant ${tenantId} has no live version that signs ${scheme}, so nothing is ` +
        'signed: put a version under this alias, or name another alias.',
    );
  }
}

export class CredentialNotFoundError extends SecretsError {
  readonly code = 'CREDENTIAL_NOT_FOUND';

  constructor(
    readonly tenantId: string,
    alias: string,
  ) {
    super(
      `the secret ${printableAlias(alias)} of tenant ${tenantId} has no live version that is a credential, so nothing is ` +
        'sent: put one under this alias, or name another alias.',
    );
  }
}

export class InvalidMasterKeyError extends SecretsError {
  readonly code = 'MASTER_KEY_INVALID';

  constructor(problem: string) {
    super(`the master key must be base64 of exactly 32 bytes; this text ${problem}. Make one: openssl rand -base64 32`);
  }
}

export class LastingKeyNotReadError extends SecretsError {
  readonly code = 'LASTING_KEY_NOT_READ';

  constructor() {
    super('the lasting key is read when the application starts, and it has not: call LastingKey.read() first');
  }
}

export class MasterKeyMismatchError extends SecretsError {
  readonly code = 'MASTER_KEY_MISMATCH';

  constructor(
    readonly fingerprint: string,
    readonly databaseFingerprint: string,
  ) {
    super(
      `the master key does not fit this database: its fingerprint is ${fingerprint}, the database was set up with ` +
        `${databaseFingerprint}; start with the key it was set up with. To change the key, give that one as the previous ` +
        'key and run the rotation.',
    );
  }
}
