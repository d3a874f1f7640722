import { randomBytes } from 'node:crypto';
import { EventBusModule, type EventBusOptions } from '@kernel/eventbus';
import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';

export const MASTER_KEY = randomBytes(32).toString('base64');

export interface Host {
  /** The host's `MikroOrmModule.forRoot(...)`. */
  orm: NonNullable<ModuleMetadata['imports']>[number];
  eventBus?: Partial<EventBusOptions>;
  imports?: ModuleMetadata['imports'];
  providers?: ModuleMetadata['providers'];
}

/** A host application with the modules given, and no more. */
export async function startHost({ orm, eventBus, imports = [], providers = [] }: Host): Promise<INestApplication> {
  const module = await Test.createTestingModule({
    imports: [
      orm,
      EventBusModule.forRoot({
        masterKey: MASTER_KEY,
        allowHttp: true,
        allowedCidrs: ['127.0.0.0/8'],
        retry: { initialDelayMs: 20, maxDelayMs: 100 },
        polling: { minIntervalMs: 20, maxIntervalMs: 50 },
        ...eventBus,
      }),
      ...imports,
    ],
    providers,
  }).compile();
  const app = module.createNestApplication({ logger: ['fatal'] });
  await app.init();
  return app;
}
