import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DispatcherConfigurationError } from '../eventbus.errors.js';
import { EventBusConfig } from '../eventbus.config.js';
import { HandlerDispatcher } from './handlers/handler-dispatcher.js';
import type { BuiltInDispatcher } from './built-in-dispatcher.js';
import { requireUsableSchemes } from './destinations.js';
import { findDispatchersInUse } from '../endpoints/endpoints.sql.js';
import { HttpDispatcher } from './http-dispatcher.js';
import { resolveParts } from './resolve-parts.js';
import { StartChecks } from '../runtime/start-checks.js';
import type { WebhookDispatcher } from './webhook-dispatcher.js';

/** The application's dispatchers by name. A start with none, with two of one name or with an unknown one fails. */
@Injectable()
export class DispatcherRegistry implements OnModuleInit {
  readonly #builtIn = new Map<string, BuiltInDispatcher>();
  readonly #hosts = new Map<string, WebhookDispatcher>();

  constructor(
    private readonly em: EntityManager,
    private readonly moduleRef: ModuleRef,
    private readonly config: EventBusConfig,
    private readonly http: HttpDispatcher,
    private readonly handlers: HandlerDispatcher,
    private readonly checks: StartChecks,
  ) {}

  /** Dispatchers that an endpoint may choose. */
  get all(): WebhookDispatcher[] {
    return [...[...this.#builtIn.values()].filter(({ isReserved }) => !isReserved), ...this.#hosts.values()];
  }

  /** Their names. */
  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** The engine's own, reserved ones included. */
  get builtIn(): BuiltInDispatcher[] {
    return [...this.#builtIn.values()];
  }

  /** One that an endpoint may choose. */
  find(name: string): WebhookDispatcher | undefined {
    return this.isReserved(name) ? undefined : this.resolve(name);
  }

  /** Any that is registered. */
  resolve(name: string): WebhookDispatcher | undefined {
    return this.#builtIn.get(name) ?? this.#hosts.get(name);
  }

  findBuiltIn(name: string): BuiltInDispatcher | undefined {
    return this.#builtIn.get(name);
  }

  async onModuleInit(): Promise<void> {
    const builtIn = this.config.httpDispatcher ? [this.http, this.handlers] : [this.handlers];
    builtIn.forEach((dispatcher) => this.#builtIn.set(dispatcher.name, dispatcher));
    const hosts = await resolveParts<WebhookDispatcher>(this.moduleRef, this.config.dispatchers);
    hosts.forEach((dispatcher) => this.add(dispatcher));
    const { defaultDispatcher } = this.config;
    this.requireKnown(defaultDispatcher, 'defaultDispatcher', this.find(defaultDispatcher));
    await this.checks.pass();
    for (const { dispatcher, endpointId } of await findDispatchersInUse(this.em.fork().getKysely())) {
      this.requireKnown(dispatcher, `the endpoint ${endpointId}`, this.resolve(dispatcher));
    }
  }

  private add(dispatcher: WebhookDispatcher): void {
    const { name } = dispatcher;
    if (this.isReserved(name)) {
      throw new DispatcherConfigurationError(`no dispatcher can be called '${name}': give it another name`);
    }
    if (this.resolve(name)) {
      throw new DispatcherConfigurationError(`two dispatchers are called '${name}': names have to differ`);
    }
    requireUsableSchemes(dispatcher);
    this.#hosts.set(name, dispatcher);
  }

  private isReserved(name: string): boolean {
    return this.#builtIn.get(name)?.isReserved === true;
  }

  private requireKnown(name: string, who: string, dispatcher: WebhookDispatcher | undefined): void {
    if (this.names.length === 0) {
      throw new DispatcherConfigurationError(
        'no dispatcher is registered: leave httpDispatcher on, or list one in `dispatchers`',
      );
    }
    if (!dispatcher) {
      const known = this.names.map((one) => `'${one}'`).join(', ');
      throw new DispatcherConfigurationError(`${who} asks for the dispatcher '${name}'; registered are ${known}`);
    }
  }
}
