import { applyDecorators, HttpCode, UseFilters, UseGuards } from '@nestjs/common';
import { WebhookRefusedFilter } from './webhook-refused.filter.js';
import { WebhookGuard } from './webhook.guard.js';

const NO_CONTENT = 204;

/**
 * For a `@Post()` method: 401 if the signature is invalid, 204 when the method returns, for duplicates too. Refusals are
 * problem documents.
 */
export function ReceivesWebhooks(): MethodDecorator & ClassDecorator {
  return applyDecorators(UseGuards(WebhookGuard), UseFilters(WebhookRefusedFilter), HttpCode(NO_CONTENT));
}
