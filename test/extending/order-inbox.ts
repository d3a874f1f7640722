import { Inbox, InboxModule, ReceivesWebhooks, VerifiedEvent, inboxMigrations, type InboxEvent } from '@kernel/inbox';
import { Migrator } from '@mikro-orm/migrations';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Controller, Module, Post, type DynamicModule } from '@nestjs/common';

@Controller('webhooks')
export class OrderWebhooks {
  constructor(private readonly inbox: Inbox) {}

  @Post()
  @ReceivesWebhooks() // 401 if the signature is invalid, 204 when the method returns
  async receive(@VerifiedEvent() event: InboxEvent): Promise<void> {
    await this.inbox.process(event, async ({ payload }, em) => {
      await em.execute('update stock set pieces = pieces - 1 where article = ?', [payload.article]);
    });
  }
}

@Module({})
export class OrdersModule {
  static with(settings: { databaseUrl: string; secret: string }): DynamicModule {
    return {
      module: OrdersModule,
      imports: [
        MikroOrmModule.forRoot({
          driver: PostgreSqlDriver,
          clientUrl: settings.databaseUrl,
          entities: [],
          discovery: { warnWhenNoEntities: false },
          extensions: [Migrator],
          migrations: { migrationsList: [...inboxMigrations], snapshot: false, silent: true },
        }),
        InboxModule.forRoot({ name: 'orders', keys: [settings.secret] }),
      ],
      controllers: [OrderWebhooks],
    };
  }
}
