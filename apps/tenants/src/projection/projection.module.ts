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
        // A gap is reported and does not block: each change has the whole state, and one tenant must not delay the
        // others.
        InboxModule.forRoot({ name: 'governance', keys: [settings.secret], gaps: 'tell' }),
      ],
      controllers: [ProjectionController],
      providers: [{ provide: ProjectionSettings, useValue: settings }, GovernanceKeeper],
    };
  }
}
