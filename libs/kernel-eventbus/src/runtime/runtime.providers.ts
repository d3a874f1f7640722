import type { Provider } from '@nestjs/common';
import { LostConnections, SilentConnections, PoolerWatch, Clock, Random, TransientRetry } from '@kernel/runtime';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { SchedulerRegistry } from '@nestjs/schedule';
import { EventBusConfig } from '../eventbus.config.js';
import { AppliedMigrations, runMigrations } from './applied-migrations.js';
import { StartChecks } from './start-checks.js';
import { StageHooks } from './stage-hooks.js';
import { WakeUp } from './wake-up.js';
import { WorkerIdentity } from './worker-identity.js';

export const runtimeProviders: Provider[] = [
  // Of its own, so that the host needs no ScheduleModule. A second one in the application would run its jobs twice.
  SchedulerRegistry,
  LostConnections,
  SilentConnections,
  {
    provide: PoolerWatch,
    inject: [EntityManager, EventBusConfig],
    useFactory: (em: EntityManager, { preparedStatements }: EventBusConfig) => new PoolerWatch(em, preparedStatements),
  },
  { provide: AppliedMigrations, inject: [MikroORM, EventBusConfig], useFactory: runMigrations },
  StartChecks,
  Clock,
  Random,
  StageHooks,
  WakeUp,
  WorkerIdentity,
  TransientRetry,
];
