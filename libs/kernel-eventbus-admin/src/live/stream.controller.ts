import { Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Id } from '@kernel/eventbus/engine';
import { Exchange } from '@kernel/runtime';
import { AdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { readBearer } from '../access/bearer-token.js';
import { HttpExchange, Principal, Query } from '../access/input.js';
import { EventStream } from './event-stream.js';
import { StreamListeners } from './stream-listeners.js';

export class StreamQuery extends createZodDto(z.strictObject({ tenantId: Id.optional() })) {}

@AdminController('stream')
export class StreamController {
  constructor(private readonly listeners: StreamListeners) {}

  @Get()
  @ApiOperation({ summary: 'Hear of the present and of changed deliveries' })
  @ApiOkResponse({
    description: 'server-sent events: `now` every 2 s, `deliveries` when some changed, at most 50 a second',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  listen(
    @Principal() principal: AdminPrincipal,
    @Query() query: StreamQuery,
    @HttpExchange() exchange: Exchange,
  ): void {
    const tenantId = principal.scopeTo(query.tenantId);
    const token = readBearer(exchange.incoming.headers.authorization)!;
    const refusal = this.listeners.refuse({ token, principal });
    if (refusal) {
      throw refusal;
    }
    this.listeners.add({ stream: new EventStream(exchange.takeRaw()), token, principal, tenantId });
  }
}
