import type { Provider } from '@nestjs/common';
import { EndpointCache } from './endpoint-cache.js';
import { SubscriptionJudge } from './subscriptions/subscription-judge.js';

export const endpointsProviders: Provider[] = [EndpointCache, SubscriptionJudge];
