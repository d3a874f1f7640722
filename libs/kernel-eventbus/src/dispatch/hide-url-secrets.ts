import { secretsIn } from '@kernel/outgoing-http';
import { CredentialMask, MIN_PIECE } from './credential-mask.js';
import type { InvocationResult } from './invocation.js';

/**
 * Masks query and user of the endpoint's url in the texts that ledger and log keep: receivers and errors of the host
 * may repeat them. Short values occur in any text and are left.
 */
export function hideUrlSecrets(invocation: InvocationResult, url: string): InvocationResult {
  if (!/[?#@]/.test(url) || keptText(invocation) === '') {
    return invocation;
  }
  const mask = new CredentialMask(secretsIn(url).filter(({ length }) => length >= MIN_PIECE));
  if (invocation.kind === 'deferred') {
    return { ...invocation, error: mask.hideIn(invocation.error) };
  }
  const { result } = invocation;
  return {
    ...invocation,
    result:
      result.kind === 'failure'
        ? { ...result, message: mask.hideIn(result.message) }
        : { ...result, bodyExcerpt: mask.hideIn(result.bodyExcerpt) },
  };
}

function keptText(invocation: InvocationResult): string {
  if (invocation.kind === 'deferred') {
    return invocation.error;
  }
  const { result } = invocation;
  return result.kind === 'failure' ? result.message : result.bodyExcerpt;
}
