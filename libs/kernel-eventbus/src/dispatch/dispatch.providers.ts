import type { Provider } from '@nestjs/common';
import { HttpDispatcher } from './http-dispatcher.js';
import { HandlerDispatcher } from './handlers/handler-dispatcher.js';
import { DispatcherRegistry } from './dispatcher-registry.js';
import { Capabilities } from './capabilities.js';
import { DispatchCoordinator } from './dispatch-coordinator.js';
import { DispatchRunner } from './dispatch-runner.js';
import { TracingMiddleware } from './tracing-middleware.js';
import { HeadersMiddleware } from './headers-middleware.js';
import { SigningMiddleware } from './signing-middleware.js';
import { InvokerPipeline } from './invoker-pipeline.js';
import { BroadcastPipeline } from './broadcast-pipeline.js';
import { EndpointInvoker } from './endpoint-invoker.js';
import { HandlerRegistry } from './handlers/handler-registry.js';
import { HandlerEndpoints } from './handlers/handler-endpoints.js';

export const dispatchProviders: Provider[] = [
  HttpDispatcher,
  HandlerDispatcher,
  DispatcherRegistry,
  Capabilities,
  DispatchCoordinator,
  DispatchRunner,
  TracingMiddleware,
  HeadersMiddleware,
  SigningMiddleware,
  InvokerPipeline,
  BroadcastPipeline,
  EndpointInvoker,
  HandlerRegistry,
  HandlerEndpoints,
];
