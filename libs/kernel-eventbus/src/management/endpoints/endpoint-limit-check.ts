import { Injectable } from '@nestjs/common';
import { EventBusConfig } from '../../eventbus.config.js';
import { refusals } from '../../eventbus.refusals.js';
import type { Caller } from '../../access/caller.js';
import type { StoredSettings } from './stored-settings.js';

/** Refuses values reserved for operators: these settings decide how much worker capacity one endpoint can take. */
@Injectable()
export class EndpointLimitCheck {
  constructor(private readonly config: EventBusConfig) {}

  refuseBeyond(caller: Caller, given: Partial<StoredSettings>): void {
    if (caller.tenantId === undefined) {
      return;
    }
    const { maxTimeoutMs, maxInFlightPerEndpoint } = this.config;
    const errors = [
      ...tooHigh('timeoutMs', given.timeoutMs, maxTimeoutMs),
      ...tooHigh('maxInFlight', given.maxInFlight, maxInFlightPerEndpoint),
    ];
    if (errors.length > 0) {
      throw refusals.invalidFields(errors);
    }
  }
}

function tooHigh(path: keyof StoredSettings, value: number | null | undefined, max: number) {
  return value != null && value > max
    ? [{ path, message: `${value} is too high: at most ${max}, only an operator may set more` }]
    : [];
}
