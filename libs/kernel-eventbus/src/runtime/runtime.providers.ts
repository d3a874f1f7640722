import type { Provider } from '@nestjs/common';
import { LostConnections, SilentConnections, PoolerWatch, Clock, Random, TransientRetry } from '@kernel/runtime';
import { EntityManager } from '@mikro-orm/postgresql';
import { EventBusConfig } from '../eventbus.config.js';
import { StartChecks } from './start-checks.js';
import { StageHooks } from './stage-hooks.js';
import { WakeUp } from './wake-up.js';
import { WorkerIdentity } from './worker-identity.js';

export const runtimeProviders: Provider[] = [
  LostConnections,
  SilentConnections,
  {
    provide: PoolerWatch,
    inject: [EntityManager, EventBusConfig],
    useFactory: (em: EntityManager, { preparedStatements }: EventBusConfig) => new PoolerWatch(em, preparedStatements),
  },
  StartChecks,
  Clock,
  Random,
  StageHooks,
  WakeUp,
  WorkerIdentity,
  TransientRetry,
];
