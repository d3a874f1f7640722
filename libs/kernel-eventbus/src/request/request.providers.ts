import type { Provider } from '@nestjs/common';
import { WebhookBody } from './webhook-body.js';
import { SentBody } from './sent-body.js';

export const requestProviders: Provider[] = [WebhookBody, SentBody];
