import { createHmac } from 'node:crypto';
import pg from 'pg';

/**
 * Creates a login in the embedded PostgreSQL that owns nothing yet, and returns its URL. The password is derived from
 * the superuser's, so every process of this checkout computes the same one and none has to store it.
 */
export async function provideLogin(superuserUrl: string, name: string, membership = ''): Promise<string> {
  const url = new URL(superuserUrl);
  const password = createHmac('sha256', url.password).update(name).digest('base64url');
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    // Serializes processes that start together; the lock ends with the connection.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
    if (!rowCount) {
      await client.query(`create role ${name} login password '${password}' ${membership}`);
    }
  } finally {
    await client.end();
  }
  return Object.assign(url, { username: name, password }).href;
}
