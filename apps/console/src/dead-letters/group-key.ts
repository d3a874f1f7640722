import type { DeadLetterGroup } from '../connection/responses.ts';

export function keyOf({ endpointId, errorClass }: DeadLetterGroup): string {
  return `${endpointId} ${errorClass}`;
}
