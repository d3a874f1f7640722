import pg from 'pg';

/** Runs `work` while another transaction keeps a snapshot from before it, as `pg_dump` does. */
export async function withHeldSnapshot<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    // The first statement takes the snapshot.
    await client.query('select count(*) from pg_class');
    return await work();
  } finally {
    await client.end();
  }
}
