import type { IncomingHttpHeaders } from 'node:http';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller, Get, Headers, HttpCode, Logger, Post } from '@nestjs/common';
import { insertReceivedEvent } from './insert-received-event.sql.js';
import { listReceivedEvents, type ReceivedEvent } from './list-received-events.sql.js';
import { shownHeaders } from './shown-headers.js';
import { WebhookVerifier } from './webhook-verifier.js';

const SHOWN_EVENTS = 200;

@Controller()
export class ReceivedController {
  readonly #logger = new Logger(ReceivedController.name);

  constructor(
    private readonly em: EntityManager,
    private readonly verifier: WebhookVerifier,
  ) {}

  /** Answers a duplicate like the first arrival: the sender only needs to know that it has arrived. */
  @Post('webhooks')
  @HttpCode(204)
  async receive(@Body() raw: Buffer, @Headers() headers: IncomingHttpHeaders): Promise<void> {
    const { eventId, type, tenantId, traceId } = this.verifier.verify(raw, headers);
    const duplicates = await insertReceivedEvent(this.em.getKysely(), {
      eventId,
      type,
      tenantId,
      traceId,
      headersJson: JSON.stringify(shownHeaders(headers)),
      bodyJson: raw.toString('utf8'),
    });
    this.#logger.log({ msg: 'webhook received', eventId, type, tenantId, traceId, duplicates });
  }

  @Get('received')
  async list(): Promise<{ items: ReceivedEvent[] }> {
    return { items: await listReceivedEvents(this.em.getKysely(), SHOWN_EVENTS) };
  }
}
