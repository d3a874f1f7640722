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

/** For `afterEach`: whatever a test started, however it ended. */
export async function closeBenches(): Promise<void> {
  await Promise.all(open.splice(0).map((bench) => bench.close()));
}

/** An app with a tenant and a receiver of its own. */
export class DispatchBench {
  readonly tenantId = randomUUID();

  constructor(
    readonly kernel: KernelApp,
    readonly receiver: WebhookReceiver,
  ) {}

  /** Subscribed to `t.v1` unless types are given; reached as the application's default says unless a dispatcher is. */
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

  /** Until there are so many deliveries, all of them delivered or dead. */
  async settled(count: number): Promise<DeliveryRow[]> {
    return waitFor(async () => {
      const rows = await this.deliveries();
      const isDone = rows.length === count && rows.every(({ status }) => status === 'DELIVERED' || status === 'DLQ');
      return isDone ? rows : undefined;
    }, `${count} deliveries to be settled`);
  }

  /** What the ledger says of attempts, oldest first. */
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
