import { randomBytes } from 'node:crypto';
import { startErp } from '../src/main.js';
import { newInvoice, startTestErp } from '@kernel/test-support/start-test-erp';

describe('a role', () => {
  it('worker serves its health, its metrics and nothing else', async () => {
    const erp = await startTestErp({ role: 'worker' });
    const statusOf = async (path: string) => (await fetch(`${erp.url}${path}`)).status;

    expect(await statusOf('/health/live')).toBe(200);
    expect(await statusOf('/health/ready')).toBe(200);
    const metrics = await fetch(`${erp.url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('kernel_workers_alive{service="erp"} 1');
    for (const path of [`/invoices?tenantId=${erp.tenantId}`, '/admin/eventbus/endpoints', '/docs', '/docs-json']) {
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    }
    expect((await erp.request('POST', '/invoices', newInvoice(erp.tenantId))).status).toBe(404);
    await erp.close();
  });

  it('api answers, and leaves events to the workers', async () => {
    const erp = await startTestErp({ role: 'api' });
    expect((await erp.request('POST', '/invoices', newInvoice(erp.tenantId))).status).toBe(201);
    const { status } = await erp.request('GET', '/admin/eventbus/endpoints', undefined, {
      authorization: `Bearer ${erp.settings.adminToken}`,
    });
    expect(status).toBe(200);
    expect(await erp.events()).toMatchObject([{ status: 'PENDING' }]);
    await erp.close();
  });
});

describe('the start', () => {
  it('fails with a master key of another database, and lets go of the port', async () => {
    const erp = await startTestErp();
    const masterKey = randomBytes(32).toString('base64');
    await expect(startErp({ ...erp.settings, masterKey })).rejects.toMatchObject({ code: 'MASTER_KEY_MISMATCH' });
    await erp.close();
  });

  it('fails when the port is taken', async () => {
    const erp = await startTestErp();
    const port = Number(new URL(erp.url).port);
    await expect(startErp({ ...erp.settings, port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    await erp.close();
  });
});
