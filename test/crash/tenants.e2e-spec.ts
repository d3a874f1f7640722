import { waitFor } from '@kernel/eventbus/testing';
import type { ProjectionSettings, TenantsSettings } from '../../apps/tenants/src/main.js';
import { makeTenantsBench, type Governed, type TenantsBench } from '@kernel/test-support/start-test-tenants';
import { describeWithNats, freePort, NatsServer } from '@kernel/test-support/nats-server';
import { PATIENCE_MS } from './crash-run.js';
import { Program } from './program.js';

const TENANTS = 4;
/** Changes projected between two deaths: all of them are in progress when a process dies. */
const STRIDE = 8;
const RECOVERY = {
  heartbeat: { intervalMs: 200, silentMs: 1_500 },
  leaseMs: 6_000,
  polling: { minIntervalMs: 50, maxIntervalMs: 300 },
};

describeWithNats('the projection of the tenants', () => {
  let server: NatsServer;
  let bench: TenantsBench;
  let tenantsSettings: TenantsSettings;
  const services: Program<TenantsSettings>[] = [];
  const projections: Program<ProjectionSettings>[] = [];
  beforeAll(async () => {
    services.push(new Program('tenants-service'), new Program('tenants-service'));
    projections.push(new Program('tenants-projection'), new Program('tenants-projection'));
    server = await NatsServer.start();
    bench = await makeTenantsBench(server.url);
    tenantsSettings = { ...bench.tenantsSettings, port: await freePort(), recovery: RECOVERY };
  });
  afterAll(async () => {
    const alive = [...services, ...projections].filter(({ isAlive }) => isAlive);
    await Promise.all(alive.map((program) => program.kill()));
    await bench?.close();
    await server?.stop();
  });

  /** The answer, or undefined without one. A change without an answer may still have been made. */
  async function ask(method: string, path: string, body: object): Promise<Governed | undefined> {
    const request = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${tenantsSettings.port}${path}`, request).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as Governed) : undefined;
  }

  /** Changes one tenant after the other until it is told to stop. */
  async function changeTenants(tenants: Governed[], signal: AbortSignal): Promise<void> {
    for (let n = 1; !signal.aborted; n++) {
      const { tenantId } = tenants[n % TENANTS]!;
      const changes = { retentionDays: 1 + (n % 3_000), plan: n % 2 ? 'FREE' : 'ENTERPRISE' };
      await waitFor<unknown>(
        () => signal.aborted || ask('PATCH', `/tenants/${tenantId}/governance`, changes),
        'a change',
      );
    }
  }

  const countProjected = async () => (await bench.projected()).reduce((sum, { changes }) => sum + changes, 0);
  async function progress(): Promise<void> {
    const before = await countProjected();
    await waitFor(async () => (await countProjected()) >= before + STRIDE, 'the projection to go on');
  }

  it(
    '[ADR-14] [ADR-11] converges although projection, broker and tenant service are killed at work',
    async () => {
      await Promise.all([services[0]!.begin(tenantsSettings), projections[0]!.begin(bench.projectionSettings)]);
      const tenants: Governed[] = [];
      while (tenants.length < TENANTS) {
        const governance = { name: `Tenant ${tenants.length}`, residency: 'EU' };
        tenants.push(await waitFor(() => ask('POST', '/tenants', governance), 'a tenant'));
      }
      const stop = new AbortController();
      const changing = changeTenants(tenants, stop.signal);

      await progress();
      expect(await projections[0]!.kill()).toEqual({ code: null, signal: 'SIGKILL' });
      await projections[1]!.begin(bench.projectionSettings);
      await progress();
      await server.kill();
      await server.start();
      await progress();
      expect(await services[0]!.kill()).toEqual({ code: null, signal: 'SIGKILL' });
      await services[1]!.begin(tenantsSettings);
      await progress();
      stop.abort();
      await changing;

      const expected = (await bench.tenants()).map((tenant) => ({ ...tenant, changes: tenant.version }));
      await waitFor(
        async () => (await countProjected()) >= expected.reduce((sum, { version }) => sum + version, 0),
        'all',
      );
      expect(await bench.projected()).toEqual(expected);
      expect([...services, ...projections].flatMap((program) => program.fault() ?? [])).toEqual([]);
      expect(await Promise.all([services[1]!.terminate(), projections[1]!.terminate()])).toEqual(
        Array(2).fill({ code: 0, signal: null }),
      );
    },
    PATIENCE_MS,
  );
});
