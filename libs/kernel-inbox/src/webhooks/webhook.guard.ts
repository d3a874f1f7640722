import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NotAnEventError, RawBodyMissingError, SignatureInvalidError } from '../inbox.errors.js';
import { Inbox } from '../reception/inbox.js';
import { rawBodyOf, type WebhookRequest } from './raw-body-of.js';
import { keepVerified } from './verified-event.decorator.js';
import { WebhookRefusedException } from './webhook-refused.exception.js';

const JSON_TYPE = /^application\/json\b/i;

/** Admits signed requests only. The body is parsed after verification. */
@Injectable()
export class WebhookGuard implements CanActivate {
  constructor(private readonly inbox: Inbox) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<WebhookRequest>();
    const body = rawBodyOf(request);
    if (!body) {
      throw whyMissing(request);
    }
    try {
      keepVerified(request, await this.inbox.verify({ headers: request.headers, body }));
      return true;
    } catch (error) {
      throw toRefusal(error);
    }
  }
}

/**
 * A parser keeps the bytes only of the types it parses: a missing body is the sender's fault for another type, and the
 * host's for JSON.
 */
function whyMissing({ headers }: WebhookRequest): Error {
  return JSON_TYPE.test(headers['content-type'] ?? '')
    ? new RawBodyMissingError()
    : new WebhookRefusedException('unsupported-body', 'a webhook is application/json');
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
