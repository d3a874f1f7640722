import { EventBusModule, eventBusEntities } from '@kernel/eventbus';
import { EventBusAdminModule } from '@kernel/eventbus-admin';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { serveCalls } from '../harness/serve-calls.ts';
import { MASTER_KEY } from './kernel-app.ts';

class AdminBenchApp {}

let app: INestApplication;

const adminApp = {
  /** The admin API over HTTP, without a worker; returns its address. */
  listen: async ({ databaseUrl, adminToken }: { databaseUrl: string; adminToken: string }): Promise<string> => {
    app = await NestFactory.create(
      {
        module: AdminBenchApp,
        imports: [
          MikroOrmModule.forRoot({
            clientUrl: databaseUrl,
            driver: PostgreSqlDriver,
            entities: [...eventBusEntities],
            driverOptions: { options: '-c role=kernel_app' },
            registerRequestContext: true,
          }),
          EventBusModule.forRoot({
            role: 'api',
            masterKey: MASTER_KEY,
            adminToken,
            allowHttp: true,
            allowedCidrs: ['127.0.0.0/8'],
          }),
          EventBusAdminModule,
        ],
      },
      { logger: false, abortOnError: false },
    );
    await app.listen(0, '127.0.0.1');
    return `http://127.0.0.1:${new URL(await app.getUrl()).port}/admin/eventbus`;
  },
  close: () => app.close(),
};

export type AdminApp = typeof adminApp;

serveCalls(adminApp);
