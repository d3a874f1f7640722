import { printableAlias } from './secret-alias.js';

/** Every error of the library: a stable `code` for programs, a message that names the fix for people. Never a secret. */
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

/** The store did not answer, or answered with something unusable: a fault on our side, to be retried. */
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

export class InvalidSecretError extends SecretsError {
  readonly code = 'SECRET_INVALID';

  constructor(problem: string) {
    super(
      `a signing secret is "whsec_" followed by base64 of 24 to 64 bytes; this one ${problem}. ` +
        'Correct it, or have the vault make one by giving no value.',
    );
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
  ) {
    super(
      `the secret ${printableAlias(alias)} of tenant ${tenantId} has no live version, so nothing is signed: ` +
        'put a version under this alias, or name another alias.',
    );
  }
}

export class InvalidMasterKeyError extends SecretsError {
  readonly code = 'MASTER_KEY_INVALID';

  constructor(problem: string) {
    super(`the master key must be base64 of exactly 32 bytes; this text ${problem}. Make one: openssl rand -base64 32`);
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
        `${databaseFingerprint}; start with the key it was set up with.`,
    );
  }
}
