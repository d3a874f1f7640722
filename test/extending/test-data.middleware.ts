import type { BroadcastMiddleware, BroadcastResult, EventEnvelope } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';

/** Keeps test data inside the house: such an event is published to nobody. */
@Injectable()
export class TestDataMiddleware implements BroadcastMiddleware {
  readonly name = 'test-data';

  async broadcast(event: EventEnvelope, next: () => Promise<BroadcastResult>): Promise<void> {
    if (event.payload.isTest !== true) {
      await next();
    }
  }
}
