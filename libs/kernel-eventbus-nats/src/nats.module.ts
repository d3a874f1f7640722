import { Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { JetStreamManager } from '@nats-io/jetstream';
import { NatsLink } from './connection/nats-link.js';
import { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } from './nats.module-definition.js';
import { NatsConfig, resolveNatsConfig } from './nats.options.js';
import { NatsQueueDispatcher } from './queue/nats-queue-dispatcher.js';
import { prepareQueue } from './queue/prepare-queue.js';
import { NatsSinkDispatcher } from './sink/nats-sink-dispatcher.js';
import { demandOf } from './sink/sink.options.js';
import { ensureStream } from './streams/ensure-stream.js';

/**
 * Use it with `EventBusModule.forRoot({ dispatchers: [NatsQueueDispatcher, NatsSinkDispatcher] })`, which finds them
 * here.
 */
@Module({
  providers: [
    { provide: NatsConfig, useFactory: resolveNatsConfig, inject: [MODULE_OPTIONS_TOKEN] },
    { provide: NatsLink, useFactory: toLink, inject: [NatsConfig] },
    NatsQueueDispatcher,
    NatsSinkDispatcher,
  ],
  exports: [NatsLink, NatsQueueDispatcher, NatsSinkDispatcher],
})
export class NatsModule extends ConfigurableModuleClass implements OnModuleInit, OnApplicationShutdown {
  @Inject(NatsLink)
  private readonly link!: NatsLink;

  onModuleInit(): Promise<void> {
    return this.link.open();
  }

  /** After the workers have drained, which they do in `beforeApplicationShutdown`. */
  onApplicationShutdown(): Promise<void> {
    return this.link.close();
  }
}

function toLink({ connection, streams, queue, sink }: NatsConfig): NatsLink {
  return new NatsLink(connection, async (jsm: JetStreamManager) => {
    if (queue) {
      await prepareQueue(jsm, queue, streams);
    }
    if (sink) {
      await ensureStream(jsm, demandOf(sink, streams), streams.setup);
    }
  });
}
