import { Clock, CorrelationIdProvider } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';

/** When something happens to an aggregate, and within what. */
export interface Occasion {
  at: Date;
  /** The request's, or generated once where there is none. */
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
