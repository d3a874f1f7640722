import { eventBusEntities, EventBusModule, type EventBusOptions } from '@kernel/eventbus';
import { StageHooks } from '@kernel/eventbus/engine';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { INestApplicationContext, ModuleMetadata, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { deadlyType } from './deadly-type.ts';
import { KillingHooks, type KillPoint } from './killing-hooks.ts';

export interface KernelSetup {
  databaseUrl: string;
  options: EventBusOptions;
  killPoint?: KillPoint;
  /** Poison: no process survives sending an event of this type. */
  deadlyType?: string;
}

class CrashProgram {}

/** The kernel in a process that may be told to die at one of its stages. */
export function startKernel(
  { databaseUrl, options, killPoint, deadlyType: type }: KernelSetup,
  providers: Provider[] = [],
  imports: NonNullable<ModuleMetadata['imports']> = [],
): Promise<INestApplicationContext> {
  const eventBus = EventBusModule.forRoot({ ...options, ...(type && { invokerMiddleware: [deadlyType(type)] }) });
  const hooks = killPoint ? [{ provide: StageHooks, useValue: new KillingHooks(killPoint) }] : [];
  return NestFactory.createApplicationContext(
    {
      module: CrashProgram,
      providers,
      imports: [
        MikroOrmModule.forRoot({ clientUrl: databaseUrl, driver: PostgreSqlDriver, entities: [...eventBusEntities] }),
        { ...eventBus, providers: [...eventBus.providers!, ...hooks] },
        ...imports,
      ],
    },
    { logger: ['fatal', 'error', 'warn'], abortOnError: false },
  );
}
