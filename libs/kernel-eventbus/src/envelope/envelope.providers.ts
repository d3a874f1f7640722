import type { Provider } from '@nestjs/common';
import { EventRegistry } from './event-registry.js';
import { EventBusConfig } from '../eventbus.config.js';

export const envelopeProviders: Provider[] = [
  {
    provide: EventRegistry,
    inject: [EventBusConfig],
    useFactory: ({ events }: EventBusConfig) => new EventRegistry(events),
  },
];
