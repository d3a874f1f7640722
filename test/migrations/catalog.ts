/** The tables according to PostgreSQL's catalog, independent of the entities. */
export interface Catalog {
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** Column name to type as SQL would write it, e.g. `uuid not null`. */
export async function readColumns(catalog: Catalog, table: string): Promise<Record<string, string>> {
  const rows = await catalog.query<{ name: string; definition: string }>(
    `select attname as name,
            format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else ' null' end as definition
       from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped
      order by attnum`,
    [table],
  );
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

/** Key columns of the non-partial indexes, e.g. `primary key (event_id)`, `(status, created_at)`. */
export async function readIndexes(catalog: Catalog, table: string): Promise<string[]> {
  const rows = await catalog.query<{ definition: string }>(
    `select case when indisprimary then 'primary key ' when indisunique then 'unique ' else '' end
            || '(' || string_agg(pg_get_indexdef(indexrelid, key::int, false), ', ' order by key) || ')' as definition
       from pg_index cross join lateral generate_series(1, indnkeyatts) as key
      where indrelid = $1::regclass and indpred is null
      group by indexrelid, indisprimary, indisunique
      order by definition`,
    [table],
  );
  return rows.map(({ definition }) => definition);
}

/** Every object of the public schema that a migration can create, with its definition. */
export async function readObjects(catalog: Catalog): Promise<string[]> {
  const rows = await catalog.query<{ object: string }>(
    `select 'relation ' || relname || ' ' || relkind::text || coalesce(' ' || pg_get_expr(relpartbound, oid), '') as object
       from pg_class where relnamespace = 'public'::regnamespace
     union all
     select 'column ' || attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' '
            || attnotnull::text || coalesce(' ' || pg_get_expr(adbin, adrelid), '')
       from pg_attribute join pg_class on pg_class.oid = attrelid
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
     union all
     select 'index ' || indexdef from pg_indexes where schemaname = 'public'
     union all
     select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
       from pg_constraint where connamespace = 'public'::regnamespace
     union all
     select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
     union all
     select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
     union all
     select 'policy ' || tablename || ' ' || policyname || ' ' || roles::text || ' ' || cmd || coalesce(' ' || qual, '')
       from pg_policies where schemaname = 'public'
     union all
     select 'right ' || relname || coalesce('.' || attname, '') || ' ' || grantee::regrole || ' ' || privilege_type
       from pg_class
       left join pg_attribute on attrelid = oid and attnum > 0 and attacl is not null
      cross join lateral aclexplode(coalesce(attacl, relacl)) as acl
      where relnamespace = 'public'::regnamespace and grantee <> relowner and grantee <> 0
     union all
     select 'type ' || typname from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
     order by object`,
  );
  return rows.map(({ object }) => object);
}
