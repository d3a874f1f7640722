import type { AdminApi, AdminClient } from './admin-api.js';

export type Call = (client: AdminClient) => ReturnType<AdminClient['get']>;

/** Put into requests that are refused: no answer may quote it. */
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The call is answered with 400 and a problem that names the field, and nothing is written. */
export async function expectRefused(api: AdminApi, call: Call, path: string): Promise<void> {
  const before = await api.countRows();
  const { body } = await call(api.operator)
    .expect(400)
    .expect('content-type', /application\/problem\+json/);
  expect(body).toMatchObject({ type: 'validation-failed', status: 400, title: 'Bad Request' });
  expect((body.errors as { path: string }[]).map((error) => error.path)).toContain(path);
  expect(JSON.stringify(body)).not.toContain(SECRET);
  expect(await api.countRows()).toEqual(before);
}
