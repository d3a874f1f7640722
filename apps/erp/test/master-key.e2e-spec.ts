import { randomBytes } from 'node:crypto';
import { WebhookReceiver } from '@kernel/eventbus/testing';
import { Webhook } from 'standardwebhooks';
import { rotateDatabaseKey, startErp } from '../src/main.js';
import { request, startTestErp } from '@kernel/test-support/start-test-erp';

describe('the rotation of the master key', () => {
  it('keeps every secret; the old key stops the start after it, both keys let it start before and after', async () => {
    const erp = await startTestErp();
    const receiver = await WebhookReceiver.start();
    const { settings, tenantId, database } = erp;
    const headers = { authorization: `Bearer ${settings.adminToken}` };
    const created = await erp.request(
      'POST',
      '/admin/eventbus/endpoints',
      { tenantId, url: receiver.url, subscribedTypes: ['invoice.created.v1'] },
      headers,
    );
    const { endpointId, secret } = created.body as unknown as { endpointId: string; secret: string };
    const keys = { masterKey: randomBytes(32).toString('base64'), previousMasterKey: settings.masterKey };

    await expect(startErp({ ...settings, masterKey: keys.masterKey })).rejects.toMatchObject({
      code: 'MASTER_KEY_MISMATCH',
      message: expect.stringContaining('as the previous key'),
    });
    const both = await startErp({ ...settings, ...keys });
    const send = async (url: string) => {
      await request(`${url}/admin/eventbus/endpoints/${endpointId}/test`, 'POST', undefined, headers);
      const { raw, headers: sent } = receiver.received.at(-1)!;
      return new Webhook(secret).verify(raw, sent as Record<string, string>);
    };
    expect(await send(both.url)).toMatchObject({ tenantId });

    const progress: string[] = [];
    const rotation = {
      ...{ databaseUrl: settings.databaseUrl, ...keys },
      onProgress: ({ done, total }: { done: number; total: number }) => void progress.push(`${done}/${total}`),
    };
    expect(await rotateDatabaseKey(rotation)).toEqual({ reencrypted: 1 });
    expect(progress).toEqual(['1/1']);
    expect(await send(both.url)).toMatchObject({ tenantId });
    await both.close();

    await expect(startErp(settings)).rejects.toMatchObject({ code: 'MASTER_KEY_MISMATCH' });
    const fresh = await startErp({ ...settings, masterKey: keys.masterKey });
    expect(await send(fresh.url)).toMatchObject({ tenantId });
    expect(receiver.received).toHaveLength(3);
    const [entry] = await database.query<{ detail: object }>(
      `select actor, detail from kernel_ledger_entry where kind = 'master-key-rotated'`,
    );
    expect(entry).toMatchObject({ actor: 'rotate-master-key', detail: { reencrypted: 1 } });
    expect(JSON.stringify(entry)).not.toContain(keys.masterKey);
    await fresh.close();
    await receiver.stop();
    await erp.close();
  });
});
