import {
  CredentialNotFoundError,
  InvalidSecretAddressError,
  InvalidSecretError,
  SecretKindMismatchError,
  type SecretsError,
  SecretUndecryptableError,
  SigningSecretNotFoundError,
  TooManyLiveVersionsError,
} from '@kernel/secrets';
import { codeOf, type ProblemFacts } from './problem.js';

const MISTAKES = [InvalidSecretError, InvalidSecretAddressError];
const CONFLICTS = [
  SecretKindMismatchError,
  TooManyLiveVersionsError,
  SigningSecretNotFoundError,
  CredentialNotFoundError,
];

/**
 * No secrets error contains a secret. Errors about the store (its directory, the fingerprint of its key) go to the log
 * only; an undecryptable version is named, because the caller can revoke it.
 */
export function describeSecretsProblem(error: SecretsError): ProblemFacts {
  const is = (kinds: readonly (abstract new (...args: never) => SecretsError)[]) =>
    kinds.some((kind) => error instanceof kind);
  if (is(MISTAKES) || is(CONFLICTS)) {
    return { code: codeOf(error), status: is(MISTAKES) ? 400 : 409, detail: error.message };
  }
  return {
    code: 'secrets-unavailable',
    status: 503,
    detail: is([SecretUndecryptableError])
      ? error.message
      : 'the secrets cannot be used at the moment: try again later; an operator finds the cause in the log',
  };
}
