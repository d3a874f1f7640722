import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { EventHandler, type HandledEvent } from '@kernel/eventbus';
import type { EntityManager } from '@mikro-orm/postgresql';
import { obey } from './obey.ts';
import { startKernel, type KernelSetup } from './start-kernel.ts';

export interface BalanceSetup extends KernelSetup {
  /** Dies inside the handler, after its writes and before the commit, at the n-th event. */
  deathInHandler?: { after: number; markerFile: string };
}

class BalanceKeeper {
  readonly #death: BalanceSetup['deathInHandler'];
  #times = 0;

  constructor(death: BalanceSetup['deathInHandler']) {
    this.#death = death;
  }

  async add({ payload }: HandledEvent, em: EntityManager): Promise<void> {
    await em.execute('update crash_balance set cents = cents + ?, bookings = bookings + 1', [payload.cents]);
    if (this.#death && ++this.#times === this.#death.after) {
      writeFileSync(this.#death.markerFile, 'in handler');
      process.kill(process.pid, 'SIGKILL');
    }
  }
}

// Applied by hand, because Node strips types and does not support decorators.
EventHandler({ name: 'crash.balance', types: ['cents.booked.v1'] })(
  BalanceKeeper.prototype,
  'add',
  Object.getOwnPropertyDescriptor(BalanceKeeper.prototype, 'add')!,
);

obey<BalanceSetup>(async (setup, untilTold, begun) => {
  const keeper = { provide: BalanceKeeper, useValue: new BalanceKeeper(setup.deathInHandler) };
  const kernel = await startKernel(setup, [keeper]);
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await kernel.close();
});
