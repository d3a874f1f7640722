import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NotAnEventError, SignatureInvalidError } from '../inbox.errors.js';
import { Inbox } from '../reception/inbox.js';
import { rawBodyOf, type WebhookRequest } from './raw-body-of.js';
import { keepVerified } from './verified-event.decorator.js';
import { WebhookRefusedException } from './webhook-refused.exception.js';

const JSON_TYPE = /^application\/json\b/i;

/** Lets through what the sender has signed. What came is parsed and handed on only after that. */
@Injectable()
export class WebhookGuard implements CanActivate {
  constructor(private readonly inbox: Inbox) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<WebhookRequest>();
    if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
      throw new WebhookRefusedException('unsupported-body', 'a webhook is application/json');
    }
    try {
      const message = { headers: request.headers, body: rawBodyOf(request) };
      keepVerified(request, await this.inbox.verify(message));
      return true;
    } catch (error) {
      throw toRefusal(error);
    }
  }
}

function toRefusal(error: unknown): unknown {
  if (error instanceof SignatureInvalidError) {
    return new WebhookRefusedException('signature-invalid', error.message, { cause: error });
  }
  if (error instanceof NotAnEventError) {
    return new WebhookRefusedException('not-an-event', error.message, { cause: error });
  }
  return error;
}
