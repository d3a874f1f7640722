import { randomUUID } from 'node:crypto';
import { WebhookReceiver, waitFor } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp, type KernelAppOptions } from '@kernel/test-support/kernel-app';

export interface DeliveryRow {
  endpoint_id: string;
  event_id: string;
  event_type: string;
  status: string;
  attempts: number;
  error_class: string | null;
  last_error: string | null;
}

const open: DispatchBench[] = [];

export async function startBench(options: KernelAppOptions = {}): Promise<DispatchBench> {
  const bench = new DispatchBench(await startKernelApp(options), await WebhookReceiver.start());
  open.push(bench);
  return bench;
}

/** For `afterEach`: closes everything that the test started. */
export async function closeBenches(): Promise<void> {
  await Promise.all(open.splice(0).map((bench) => bench.close()));
}

/** An app with a tenant and a receiver. */
export class DispatchBench {
  readonly tenantId = randomUUID();

  constructor(
    readonly kernel: KernelApp,
    readonly receiver: WebhookReceiver,
  ) {}

  /** Defaults: type `t.v1`, and the application's default dispatcher. */
  async addEndpoint({ dispatcher = null, url = this.receiver.url, types = ['t.v1'] }: BenchEndpoint = {}) {
    const { endpointId } = await this.kernel.addEndpoint({ tenantId: this.tenantId, url, types });
    await this.kernel.database.query('update kernel_webhook_endpoint set dispatcher = $1 where endpoint_id = $2', [
      dispatcher,
      endpointId,
    ]);
    return endpointId;
  }

  publish(payload: Record<string, unknown> = {}, type = 't.v1') {
    const { tenantId } = this;
    return this.kernel.outbox.publishDetached({ tenantId, type, streamKey: 's:1', traceId: 'trace-0001', payload });
  }

  rows<Row extends object>(statement: string): Promise<Row[]> {
    return this.kernel.database.query<Row>(statement);
  }

  deliveries(): Promise<DeliveryRow[]> {
    return this.rows<DeliveryRow>('select * from kernel_webhook_delivery order by event_type, delivery_id');
  }

  /** Waits for that many deliveries, all of them finished. */
  async settled(count: number): Promise<DeliveryRow[]> {
    return waitFor(async () => {
      const rows = await this.deliveries();
      const isDone = rows.length === count && rows.every(({ status }) => status === 'DELIVERED' || status === 'DLQ');
      return isDone ? rows : undefined;
    }, `${count} deliveries to be settled`);
  }

  /** Attempts in the ledger, oldest first. */
  attempts(): Promise<{ event_id: string; attempt: number; detail: Record<string, unknown> }[]> {
    return this.rows(`select * from kernel_ledger_entry where kind = 'attempt' order by entry_id`);
  }

  async close(): Promise<void> {
    await this.kernel.close();
    await this.receiver.stop();
  }
}

interface BenchEndpoint {
  dispatcher?: string | null;
  url?: string;
  types?: string[];
}
