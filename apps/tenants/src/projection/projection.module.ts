import { InboxModule } from '@kernel/inbox';
import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type DynamicModule, Module } from '@nestjs/common';
import { GovernanceKeeper } from './governance-keeper.js';
import { projectionOrmOptions } from './orm-options.js';
import { ProjectionController } from './projection.controller.js';
import { ProjectionSettings } from './projection-settings.js';

@Module({})
export class ProjectionModule {
  static with(settings: ProjectionSettings): DynamicModule {
    return {
      module: ProjectionModule,
      imports: [
        MikroOrmModule.forRoot({ ...projectionOrmOptions(settings.databaseUrl), registerRequestContext: true }),
        // What comes behind a gap waits: the projection is to be what the tenant service says, or older, and nothing else.
        InboxModule.forRoot({ name: 'governance', keys: [settings.secret], gaps: 'refuse' }),
      ],
      controllers: [ProjectionController],
      providers: [{ provide: ProjectionSettings, useValue: settings }, GovernanceKeeper],
    };
  }
}
