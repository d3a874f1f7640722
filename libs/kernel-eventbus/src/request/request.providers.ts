import type { Provider } from '@nestjs/common';
import { BodyPreparer } from './body-preparer.js';
import { WebhookBody } from './webhook-body.js';
import { SentBody } from './sent-body.js';

export const requestProviders: Provider[] = [BodyPreparer, WebhookBody, SentBody];
