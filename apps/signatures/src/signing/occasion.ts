import { Clock, CorrelationIdProvider } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';

/** Time and correlation id of a change to an aggregate. */
export interface Occasion {
  at: Date;
  /** The request's, or generated if it has none. */
  correlationId: string;
}

@Injectable()
export class Occasions {
  constructor(
    private readonly clock: Clock,
    private readonly correlation: CorrelationIdProvider,
  ) {}

  now(): Occasion {
    return { at: this.clock.now(), correlationId: this.correlation.current() };
  }
}
