import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { EventBusConsoleConfig, resolveConsoleConfig, type EventBusConsoleOptions } from './console.options.js';
import { servePages } from './serve-pages.js';

/** Serves the console's pages. They call the admin API of the same host: import `EventBusAdminModule` beside it. */
@Module({})
export class EventBusConsoleModule implements OnModuleInit {
  @Inject(HttpAdapterHost)
  private readonly adapterHost!: HttpAdapterHost;

  @Inject(ApplicationConfig)
  private readonly application!: ApplicationConfig;

  @Inject(EventBusConsoleConfig)
  private readonly config!: EventBusConsoleConfig;

  static forRoot(options: EventBusConsoleOptions = {}): DynamicModule {
    const config = resolveConsoleConfig(options);
    return { module: EventBusConsoleModule, providers: [{ provide: EventBusConsoleConfig, useValue: config }] };
  }

  /** Runs after Nest has registered the host's middleware, so that it applies to the pages too. Guards do not. */
  onModuleInit(): void {
    const { adminPath = this.defaultAdminPath() } = this.config;
    // An application context has no adapter.
    this.adapterHost.httpAdapter?.use(servePages({ ...this.config, adminPath }));
  }

  private defaultAdminPath(): string {
    const prefix = this.application.getGlobalPrefix().replaceAll(/^\/+|\/+$/g, '');
    return `${prefix && `/${prefix}`}/admin/eventbus`;
  }
}
