import { Controller, type Type, VERSION_NEUTRAL } from '@nestjs/common';

export interface ControllerOptions {
  path: string;
  /** Class decorators of the host, e.g. one that its global guard looks for. */
  decorators?: readonly ClassDecorator[];
}

/**
 * The controller at another path and with further decorators. A subclass, because another app of the same process may
 * configure it differently. Nest finds routes, guards and dependencies through the prototype.
 */
export function configureController(base: Type, { path, decorators = [] }: ControllerOptions): Type {
  const configured = class extends base {};
  // The OpenAPI document names operations after the class.
  Object.defineProperty(configured, 'name', { value: base.name });
  Controller({ path, version: VERSION_NEUTRAL })(configured);
  decorators.forEach((decorate) => decorate(configured));
  return configured;
}
