import { applyDecorators, HttpCode, UseGuards } from '@nestjs/common';
import { WebhookGuard } from './webhook.guard.js';

const NO_CONTENT = 204;

/** For a `@Post()` method: 401 if the signature is invalid, 204 when the method returns, for duplicates too. */
export function ReceivesWebhooks(): MethodDecorator & ClassDecorator {
  return applyDecorators(UseGuards(WebhookGuard), HttpCode(NO_CONTENT));
}
