import {
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { NatsDeliveryWorker } from './nats-delivery-worker.js';
import type { NatsDeliveryWorkerOptions } from './worker.options.js';

/** Runs the worker for the lifetime of the application. */
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

/** A worker in its own Nest application, or in any other. */
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
