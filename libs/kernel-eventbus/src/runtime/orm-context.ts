import { EntityManager as AnyEntityManager, MikroORM as AnyOrm } from '@mikro-orm/core';
import { getEntityManagerToken, getMikroORMToken } from '@mikro-orm/nestjs';
import { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { DynamicModule, Provider } from '@nestjs/common';

/**
 * The kernel's MikroORM, for a module of the kernel: that of the named context, else the default one. MikroORM's module
 * provides PostgreSQL's classes only if it knows the driver in advance.
 */
export function ormProviders(contextName: string | undefined): Provider[] {
  return [
    { provide: MikroORM, useExisting: contextName ? getMikroORMToken(contextName) : AnyOrm },
    { provide: EntityManager, useExisting: contextName ? getEntityManagerToken(contextName) : AnyEntityManager },
  ];
}

export function inContext(module: DynamicModule, contextName: string | undefined): DynamicModule {
  return { ...module, providers: [...(module.providers ?? []), ...ormProviders(contextName)] };
}

/** The kernel's MikroORM for the packages beside this one. */
export class KernelOrm {
  constructor(readonly orm: MikroORM) {}
}

/** For their modules: the host may have no default context, or another database in it. */
export const kernelOrmProviders: Provider[] = [
  { provide: MikroORM, inject: [KernelOrm], useFactory: ({ orm }: KernelOrm) => orm },
  { provide: EntityManager, inject: [KernelOrm], useFactory: ({ orm }: KernelOrm) => orm.em },
];
