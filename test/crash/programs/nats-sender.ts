import { once } from 'node:events';
import { NatsDeliveryWorker, type NatsDeliveryWorkerOptions } from '@kernel/eventbus-nats';
import { obey } from './obey.ts';

/** Sends queued requests. It has no database. */
obey<NatsDeliveryWorkerOptions>(async (options, untilTold, begun) => {
  const worker = new NatsDeliveryWorker(options);
  await worker.start();
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await worker.stop();
});
