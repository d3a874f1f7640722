import { once } from 'node:events';
import { NatsModule, NatsQueueDispatcher, type NatsOptions } from '@kernel/eventbus-nats';
import { obey } from './obey.ts';
import { startKernel, type KernelSetup } from './start-kernel.ts';

export interface NatsEngineSetup extends KernelSetup {
  nats: NatsOptions;
}

/** Routes, redacts and signs; requests go into the queue. */
obey<NatsEngineSetup>(async ({ nats, options, ...setup }, untilTold, begun) => {
  const byQueue = { ...options, dispatchers: [NatsQueueDispatcher], defaultDispatcher: 'nats-queue' };
  const kernel = await startKernel({ ...setup, options: byQueue }, [], [NatsModule.forRoot(nats)]);
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await kernel.close();
});
