import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { EventBusHealthModule } from '@kernel/eventbus-ops';
import { ProblemFilter } from '@kernel/http';
import { type PublishableEvent } from '@kernel/eventbus';
import { waitFor } from '@kernel/eventbus/testing';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ZodValidationPipe } from 'nestjs-zod';
import request, { type Response, type Test } from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { startKernelApp, type KernelApp, type KernelAppOptions } from './kernel-app.js';

export const OPERATOR_TOKEN = 'operator-token-for-tests';
export const ADMIN = '/admin/eventbus';
export const TYPE = 'invoice.created.v1';

const TABLES = [
  'kernel_outbox_event',
  'kernel_webhook_endpoint',
  'kernel_webhook_delivery',
  'kernel_lane',
  'kernel_ledger_entry',
  'kernel_privacy_policy',
  'kernel_secret_version',
  'kernel_admin_token',
  'kernel_operation',
];

/** The admin API with one token. Paths are relative to `/admin/eventbus`. */
export interface AdminClient {
  get(path: string, query?: Record<string, string | number>): Test;
  post(path: string, body?: unknown): Test;
  patch(path: string, body?: unknown): Test;
  put(path: string, body?: unknown): Test;
  delete(path: string): Test;
}

export class AdminApi {
  private constructor(
    readonly kernel: KernelApp,
    readonly url: string,
  ) {}

  /** No worker runs unless `role: 'all'` is given, so only requests change the database. */
  static async start(options: KernelAppOptions = {}): Promise<AdminApi> {
    const kernel = await startKernelApp({
      role: 'api',
      adminToken: OPERATOR_TOKEN,
      imports: [EventBusAdminModule, EventBusHealthModule],
      // Like a host with its own filter and pipe: every request is validated twice.
      configure: (app) => app.useGlobalFilters(new ProblemFilter()).useGlobalPipes(new ZodValidationPipe()),
      ...options,
    });
    await kernel.app.listen(0, '127.0.0.1');
    const { port } = kernel.app.getHttpServer().address() as AddressInfo;
    return new AdminApi(kernel, `http://127.0.0.1:${port}`);
  }

  get operator(): AdminClient {
    return this.as(OPERATOR_TOKEN);
  }

  as(token?: string): AdminClient {
    const send = (method: 'get' | 'post' | 'patch' | 'put' | 'delete', path: string) => {
      const call = request(this.url)[method](`${ADMIN}${path}`);
      return token === undefined ? call : call.set('authorization', `Bearer ${token}`);
    };
    return {
      get: (path, query = {}) => send('get', path).query(query),
      post: (path, body) => send('post', path).send(body as object),
      patch: (path, body) => send('patch', path).send(body as object),
      put: (path, body) => send('put', path).send(body as object),
      delete: (path) => send('delete', path),
    };
  }

  /** A new tenant's admin. */
  async tenantAdmin(
    tenantId: string = randomUUID(),
  ): Promise<{ tenantId: string; client: AdminClient; token: string }> {
    const { body } = await this.operator
      .post('/tokens', { name: 'tenant admin', role: 'tenant-admin', tenantId })
      .expect(201);
    return { tenantId, client: this.as(body.token as string), token: body.token as string };
  }

  async createEndpoint(tenantId: string, settings: Record<string, unknown> = {}): Promise<Record<string, string>> {
    const { body } = await this.operator
      .post('/endpoints', { tenantId, url: 'http://127.0.0.1:9/hook', subscribedTypes: [TYPE], ...settings })
      .expect(201);
    return body as Record<string, string>;
  }

  publish(tenantId: string, event: Partial<PublishableEvent> = {}) {
    return this.kernel.em.fork().transactional((em) => this.publishIn(em, tenantId, event));
  }

  /**
   * A delivery like the router's. It is committed together with its event: a running router keeps an existing delivery
   * unchanged.
   */
  async addDelivery(tenantId: string, endpointId: string, status = 'PENDING'): Promise<string> {
    const deliveryId = uuidv7();
    await this.kernel.em.fork().transactional(async (em) => {
      const { eventId } = await this.publishIn(em, tenantId);
      await em.execute(
        `insert into kernel_webhook_delivery (delivery_id, tenant_id, endpoint_id, event_id, event_type, trace_id, status,
           next_attempt_at, dispatched_at, settled_at)
         values (?, ?, ?, ?, ?, 'trace-0001', ?, clock_timestamp() + interval '1 hour', clock_timestamp(),
           case when ? in ('DELIVERED', 'DLQ') then clock_timestamp() end)`,
        [deliveryId, tenantId, endpointId, eventId, TYPE, status, status],
      );
    });
    return deliveryId;
  }

  /** A lane like the router's; blocked if a dead letter is given. */
  async addLane(tenantId: string, endpointId: string, blockedBy: string | null = null): Promise<string> {
    const laneId = uuidv7();
    await this.kernel.database.query(
      `insert into kernel_lane (lane_id, tenant_id, endpoint_id, stream_key, last_sequence, blocked_by, blocked_at)
       values ($1::uuid, $2, $3, $1::text, 1, $4::uuid, case when $4::uuid is not null then clock_timestamp() end)`,
      [laneId, tenantId, endpointId, blockedBy],
    );
    return laneId;
  }

  deliveryOf(endpointId: string): Promise<Record<string, unknown>> {
    return waitFor(async () => {
      const { body } = await this.operator.get('/deliveries', { endpointId }).expect(200);
      return (body.items as Record<string, unknown>[])[0];
    }, `a delivery of ${endpointId}`);
  }

  async ledger(kind: string): Promise<Record<string, unknown>[]> {
    return this.kernel.database.query('select * from kernel_ledger_entry where kind = $1 order by entry_id', [kind]);
  }

  /** Without entries that a worker writes asynchronously: no request writes under the kernel's name. */
  async countRows(): Promise<Record<string, string>> {
    const counts = TABLES.map((table) => {
      const condition = table === 'kernel_ledger_entry' ? `actor <> 'kernel'` : 'true';
      return `(select count(*) from ${table} where ${condition}) as ${table}`;
    });
    const [row] = await this.kernel.database.query<Record<string, string>>(`select ${counts.join(', ')}`);
    return row!;
  }

  close(): Promise<void> {
    return this.kernel.close();
  }

  private publishIn(em: EntityManager, tenantId: string, event: Partial<PublishableEvent> = {}) {
    const defaults = { type: TYPE, streamKey: 'invoice:1', traceId: 'trace-0001', payload: { total: 5 } };
    return this.kernel.outbox.publish({ ...defaults, tenantId, ...event }, { em });
  }
}

/** Follows `nextCursor` to the end. */
export async function readAllPages(
  client: AdminClient,
  path: string,
  query: Record<string, string | number>,
  betweenPages: () => Promise<unknown> = async () => undefined,
): Promise<{ items: Record<string, string>[]; pages: number }> {
  const items: Record<string, string>[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const { body }: Response = await client.get(path, { ...query, ...(cursor && { cursor }) }).expect(200);
    items.push(...(body.items as Record<string, string>[]));
    cursor = body.nextCursor as string | null;
    pages += 1;
    await betweenPages();
  } while (cursor);
  return { items, pages };
}
