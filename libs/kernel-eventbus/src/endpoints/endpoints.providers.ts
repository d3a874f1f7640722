import type { Provider } from '@nestjs/common';
import { SubscriptionJudge } from './subscriptions/subscription-judge.js';

export const endpointsProviders: Provider[] = [SubscriptionJudge];
