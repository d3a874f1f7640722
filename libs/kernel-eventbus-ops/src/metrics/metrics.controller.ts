import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { EventBusMetricsConfig } from './metrics.options.js';

@Controller('metrics')
@ApiTags('metrics')
export class MetricsController {
  constructor(private readonly config: EventBusMetricsConfig) {}

  /** The whole registry in Prometheus' text format. */
  @Get()
  @Header('cache-control', 'no-store')
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  async scrape(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.setHeader('content-type', this.config.registry.contentType);
    return this.config.registry.metrics();
  }
}
