import { once } from 'node:events';
import { obey } from './obey.ts';
import { startKernel, type KernelSetup } from './start-kernel.ts';

/** Routes and delivers until it is told to stop, or dies. */
obey<KernelSetup>(async (setup, untilTold, begun) => {
  const kernel = await startKernel(setup);
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await kernel.close();
});
