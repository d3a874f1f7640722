import type { BroadcastMiddleware, BroadcastResult, EventEnvelope } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';

/** Keeps test data internal: a test event is routed to no endpoint. */
@Injectable()
export class TestDataMiddleware implements BroadcastMiddleware {
  readonly name = 'test-data';

  async broadcast(event: EventEnvelope, next: () => Promise<BroadcastResult>): Promise<void> {
    if (event.payload.isTest !== true) {
      await next();
    }
  }
}
