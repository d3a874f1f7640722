import {
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { NatsDeliveryWorker } from './nats-delivery-worker.js';
import type { NatsDeliveryWorkerOptions } from './worker.options.js';

/** Works as long as the application does. */
@Injectable()
class WorkingHours implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly worker: NatsDeliveryWorker) {}

  onApplicationBootstrap(): Promise<void> {
    return this.worker.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.worker.stop();
  }
}

/** A worker in a Nest application of its own, or in any other. */
@Module({})
export class NatsDeliveryWorkerModule {
  static forRoot(options: NatsDeliveryWorkerOptions): DynamicModule {
    return {
      module: NatsDeliveryWorkerModule,
      providers: [{ provide: NatsDeliveryWorker, useFactory: () => new NatsDeliveryWorker(options) }, WorkingHours],
      exports: [NatsDeliveryWorker],
    };
  }
}
