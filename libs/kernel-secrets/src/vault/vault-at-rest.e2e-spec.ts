import { openVault } from '../../test/open-vault.js';

interface Row {
  ciphertext: Buffer;
}

describe('the vault at rest', () => {
  it('holds no part of the secret, as text or as bytes', async () => {
    await using bundle = await openVault();
    const { vault, database, tenantId } = bundle;
    const { value } = await vault.put({ tenantId, alias: 'billing' });
    const [row] = await database.query<Row>('select * from kernel_secret_version');
    const base64 = value.reveal().slice('whsec_'.length);
    expect(row!.ciphertext.includes('whsec_')).toBe(false);
    expect(row!.ciphertext.includes(base64.slice(0, 8))).toBe(false);
    expect(row!.ciphertext.includes(Buffer.from(base64, 'base64').subarray(0, 8))).toBe(false);
    expect(row).toMatchObject({ tenant_id: tenantId, alias: 'billing', version: 1, state: 'active' });
  });

  it('sends neither the secret nor the ciphertext within the text of a statement', async () => {
    await using bundle = await openVault();
    const { vault, database, tenantId } = bundle;
    await database.query('create table statements (query text)');
    await database.query(
      `create function note_statement() returns trigger language plpgsql as
       'begin insert into statements values (current_query()); return new; end'`,
    );
    await database.query(
      'create trigger note before insert on kernel_secret_version for each row execute function note_statement()',
    );
    const { value } = await vault.put({ tenantId, alias: 'billing' });
    const statements = await database.query<{ query: string }>('select query from statements');
    const text = statements.map(({ query }) => query).join('\n');
    expect(text).toMatch(/insert into "kernel_secret_version".*\$1/);
    expect(text).not.toContain(value.reveal().slice(6));
    expect(text).not.toContain(tenantId);
  });

  it.each([
    ['another alias', `update kernel_secret_version set alias = 'other'`],
    ['another version', `update kernel_secret_version set version = 7`],
    ['another tenant', `update kernel_secret_version set tenant_id = '0b6f1f1e-6a52-4a3c-9d59-6d3f0a1c7b11'`],
    [
      'an altered byte',
      `update kernel_secret_version set ciphertext = set_byte(ciphertext, 40, get_byte(ciphertext, 40) # 1)`,
    ],
    ['a cut end', `update kernel_secret_version set ciphertext = substr(ciphertext, 1, 20)`],
  ])('does not decrypt a row with %s', async (_, tampering) => {
    await using bundle = await openVault();
    const { vault, database, tenantId } = bundle;
    const { value } = await vault.put({ tenantId, alias: 'billing' });
    // Like an owner of the database: bypasses triggers.
    await database.query(`begin; set local session_replication_role = replica; ${tampering}; commit`);
    const [row] = await database.query<{ tenant_id: string; alias: string }>('select * from kernel_secret_version');
    const live = vault.liveVersions(row!.tenant_id, row!.alias);
    await expect(live).rejects.toMatchObject({ code: 'SECRET_UNDECRYPTABLE' });
    await expect(live).rejects.not.toThrow(value.reveal().slice(6));
  });

  it('keeps no ciphertext of what is revoked', async () => {
    await using bundle = await openVault();
    const { vault, database, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.revoke(tenantId, 'billing', 1);
    const rows = await database.query<Row>('select state, ciphertext from kernel_secret_version');
    expect(rows).toEqual([{ state: 'revoked', ciphertext: Buffer.alloc(0) }]);
  });

  it('signs again once the damaged version is revoked', async () => {
    await using bundle = await openVault();
    const { vault, database, tenantId } = bundle;
    await vault.put({ tenantId, alias: 'billing' });
    await vault.put({ tenantId, alias: 'billing' });
    await database.query(`update kernel_secret_version set ciphertext = '\\x00' where version = 2`);
    await expect(vault.liveVersions(tenantId, 'billing')).rejects.toThrow('version 2');
    await vault.revoke(tenantId, 'billing', 2);
    expect(await vault.liveVersions(tenantId, 'billing')).toMatchObject([{ version: 1 }]);
  });
});
