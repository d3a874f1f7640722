import { createHmac } from 'node:crypto';
import pg from 'pg';

/**
 * Makes a login in the embedded PostgreSQL that owns nothing yet, and returns the URL with it. The password follows from the
 * superuser's, so that every process of this checkout comes to the same one and none has to keep it.
 */
export async function provideLogin(superuserUrl: string, name: string, membership = ''): Promise<string> {
  const url = new URL(superuserUrl);
  const password = createHmac('sha256', url.password).update(name).digest('base64url');
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    // Processes that start together take turns; the lock ends with the connection.
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
