import { OutboxService } from '@kernel/eventbus';
import { MikroORM } from '@mikro-orm/postgresql';
import { obey } from './obey.ts';
import { publishLoad, type Load } from './publish-load.ts';
import { startKernel, type KernelSetup } from './start-kernel.ts';

export interface PublisherSetup extends KernelSetup {
  load: Load;
}

/** A domain that publishes until its load is done, it is told to stop, or it dies. */
obey<PublisherSetup>(async (setup, untilTold, begun) => {
  const kernel = await startKernel(setup);
  begun();
  await publishLoad(
    { em: kernel.get<MikroORM>(MikroORM).em, outbox: kernel.get(OutboxService) },
    setup.load,
    untilTold,
  );
  await kernel.close();
});
