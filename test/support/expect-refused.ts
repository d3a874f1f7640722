import type { AdminApi, AdminClient } from './admin-api.js';

export type Call = (client: AdminClient) => ReturnType<AdminClient['get']>;

/** Part of requests that are refused. No response may quote it. */
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Expects status 400, a problem that names the field, and no write. */
export async function expectRefused(api: AdminApi, call: Call, path: string): Promise<void> {
  const before = await api.countRows();
  const { body } = await call(api.operator)
    .expect(400)
    .expect('content-type', /application\/problem\+json/);
  expect(body).toMatchObject({ type: 'urn:kernel:problem:validation-failed', status: 400, title: 'Bad Request' });
  expect((body.errors as { path: string }[]).map((error) => error.path)).toContain(path);
  expect(JSON.stringify(body)).not.toContain(SECRET);
  expect(await api.countRows()).toEqual(before);
}
