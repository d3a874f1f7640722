import type { DeadLetterGroup } from '../connection/answers.ts';

export function keyOf({ endpointId, errorClass }: DeadLetterGroup): string {
  return `${endpointId} ${errorClass}`;
}
