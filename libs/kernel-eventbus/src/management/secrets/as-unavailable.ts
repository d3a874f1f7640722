import { SecretsError, SecretsUnavailableError } from '@kernel/secrets';

/** A host's own provider may throw anything. */
export function asUnavailable(cause: unknown): never {
  throw cause instanceof SecretsError
    ? cause
    : new SecretsUnavailableError('the secrets that the host keeps could not be read: see the cause.', { cause });
}
