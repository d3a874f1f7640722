import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '@kernel/eventbus/engine';
import { problems } from '@kernel/http';
import type { AdminPrincipal } from '../access/admin-principal.js';
import type { EndpointSettings } from './endpoint-settings.js';

/** Refuses values reserved for operators: these settings decide how much worker capacity one endpoint can take. */
@Injectable()
export class EndpointLimitCheck {
  constructor(private readonly config: EventBusConfig) {}

  refuseBeyond(principal: AdminPrincipal, given: Partial<EndpointSettings>): void {
    if (principal.role !== 'tenant-admin') {
      return;
    }
    const { maxTimeoutMs, maxInFlightPerEndpoint } = this.config;
    const errors = [
      ...tooHigh('timeoutMs', given.timeoutMs, maxTimeoutMs),
      ...tooHigh('maxInFlight', given.maxInFlight, maxInFlightPerEndpoint),
    ];
    if (errors.length > 0) {
      throw problems.invalidFields(errors);
    }
  }
}

function tooHigh(path: keyof EndpointSettings, value: number | null | undefined, max: number) {
  return value != null && value > max
    ? [{ path, message: `${value} is too high: at most ${max}, only an operator may set more` }]
    : [];
}
