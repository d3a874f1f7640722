import { Controller, Get, Header, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Exchange } from '@kernel/runtime';
import { EventBusMetricsConfig } from './metrics.options.js';

@Controller({ path: 'metrics', version: VERSION_NEUTRAL })
@ApiTags('metrics')
export class MetricsController {
  constructor(private readonly config: EventBusMetricsConfig) {}

  /** The whole registry in Prometheus' text format. Sent here: interceptors of the host would make it JSON. */
  @Get()
  @Header('cache-control', 'no-store')
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  async scrape(@Req() request: object, @Res() response: object): Promise<void> {
    const { registry } = this.config;
    Exchange.of(request, response).send(await registry.metrics(), registry.contentType);
  }
}
