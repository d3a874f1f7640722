import type { IncomingHttpHeaders } from 'node:http';
import { Inbox, type InboxEvent, ReceivesWebhooks, VerifiedEvent } from '@kernel/inbox';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller, Get, Headers, Logger, Post } from '@nestjs/common';
import { countDuplicate, insertReceivedEvent, listReceivedEvents, type ReceivedEvent } from './received-events.sql.js';
import { shownHeaders } from './shown-headers.js';

const SHOWN_EVENTS = 200;

@Controller()
export class ReceivedController {
  readonly #logger = new Logger(ReceivedController.name);

  constructor(
    private readonly em: EntityManager,
    private readonly inbox: Inbox,
  ) {}

  /** Answers a duplicate like the first arrival: the sender only needs to know that it arrived. */
  @Post('webhooks')
  @ReceivesWebhooks()
  async receive(
    @VerifiedEvent() event: InboxEvent,
    @Body() raw: Buffer,
    @Headers() headers: IncomingHttpHeaders,
  ): Promise<void> {
    const { eventId, type, tenantId, traceId } = event;
    const received = {
      ...{ eventId, type, tenantId, traceId },
      headersJson: JSON.stringify(shownHeaders(headers)),
      bodyJson: raw.toString('utf8'),
    };
    const reception = await this.inbox.process(event, (_event, em) => insertReceivedEvent(em.getKysely(), received));
    if (reception.kind === 'duplicate') {
      await countDuplicate(this.em.getKysely(), eventId);
    }
    this.#logger.log({ msg: 'webhook received', eventId, type, tenantId, traceId, reception });
  }

  @Get('received')
  async list(): Promise<{ items: ReceivedEvent[] }> {
    return { items: await listReceivedEvents(this.em.getKysely(), SHOWN_EVENTS) };
  }
}
