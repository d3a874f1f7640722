import { waitFor } from '@kernel/eventbus/testing';
import type { AdminApi } from '@kernel/test-support/admin-api';

export const REASON = 'the receiver is repaired';

/** Earlier than anything that a test does. */
export const minuteAgo = () => new Date(Date.now() - 60_000).toISOString();

export async function startOperation(api: AdminApi, path: string, body: object): Promise<string> {
  const { body: answer } = await api.operator.post(path, { reason: REASON, ...body }).expect(202);
  return (answer as { operationId: string }).operationId;
}

export function endOfOperation(api: AdminApi, operationId: string): Promise<Record<string, unknown>> {
  return waitFor(async () => {
    const { body } = await api.operator.get(`/operations/${operationId}`).expect(200);
    return body.finishedAt !== null && (body as Record<string, unknown>);
  }, 'the operation to end');
}

export async function runOperation(api: AdminApi, path: string, body: object): Promise<Record<string, unknown>> {
  return endOfOperation(api, await startOperation(api, path, body));
}
