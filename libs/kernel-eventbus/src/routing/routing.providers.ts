import type { Provider } from '@nestjs/common';
import { BatchWriter } from './batch-writer.js';
import { EventFanOut } from './event-fan-out.js';
import { EventMatcher } from './event-matcher.js';
import { Router } from './router.js';

export const routingProviders: Provider[] = [BatchWriter, EventMatcher, EventFanOut, Router];
