import { type DynamicModule, type FactoryProvider, Module, type ModuleMetadata } from '@nestjs/common';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import { OutgoingGuard, type OutgoingGuardOptions } from './guard/outgoing-guard.js';
import { OutgoingHttp } from './send/outgoing-http.js';
import { PinnedPools } from './send/pinned-pools.js';

export interface OutgoingHttpModuleOptions {
  guard: OutgoingGuardOptions;
  /** Sockets per origin. */
  connectionsPerPool: number;
}

export interface OutgoingHttpModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject: FactoryProvider['inject'];
  useFactory: (...args: never[]) => OutgoingHttpModuleOptions;
}

const OPTIONS = Symbol('OutgoingHttpModuleOptions');

/** Provides the guarded HTTP client. */
@Module({})
export class OutgoingHttpModule {
  static forRootAsync({ imports = [], inject = [], useFactory }: OutgoingHttpModuleAsyncOptions): DynamicModule {
    return {
      module: OutgoingHttpModule,
      imports,
      providers: [
        { provide: OPTIONS, inject, useFactory },
        {
          provide: OutgoingGuard,
          inject: [OPTIONS],
          useFactory: ({ guard }: OutgoingHttpModuleOptions) => new OutgoingGuard(guard),
        },
        {
          provide: PinnedPools,
          inject: [OPTIONS],
          useFactory: ({ connectionsPerPool }: OutgoingHttpModuleOptions) => new PinnedPools({ connectionsPerPool }),
        },
        // A separate axios: the host may have configured that of HttpModule for itself.
        { provide: HttpService, useFactory: () => new HttpService(axios.create()) },
        OutgoingHttp,
      ],
      exports: [OutgoingGuard, OutgoingHttp],
    };
  }
}
