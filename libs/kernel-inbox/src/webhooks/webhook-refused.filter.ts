import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { WebhookRequest } from './raw-body-of.js';
import { WebhookRefusedException } from './webhook-refused.exception.js';

const UNAUTHORIZED = 401;
const TRACE_ID = /^[A-Za-z0-9._-]{8,128}$/;

/** Answers refusals as problems, whatever filters the host has: filters of a route run before global ones. */
@Catch(WebhookRefusedException)
@Injectable()
export class WebhookRefusedFilter implements ExceptionFilter<WebhookRefusedException> {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(refused: WebhookRefusedException, context: ArgumentsHost): void {
    const { httpAdapter } = this.host;
    const response = context.switchToHttp().getResponse<unknown>();
    const status = refused.getStatus();
    if (status === UNAUTHORIZED) {
      // RFC 9110 requires a challenge. No scheme is registered for webhooks; this one is the header to send.
      httpAdapter.setHeader(response, 'www-authenticate', 'Webhook-Signature');
    }
    httpAdapter.setHeader(response, 'content-type', 'application/problem+json');
    const { headers } = context.switchToHttp().getRequest<WebhookRequest>();
    const traceId = String(headers['x-trace-id']);
    const problem = { ...(refused.getResponse() as object), ...(TRACE_ID.test(traceId) ? { traceId } : {}) };
    httpAdapter.reply(response, JSON.stringify(problem), status);
  }
}
