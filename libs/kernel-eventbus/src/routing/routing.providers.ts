import type { Provider } from '@nestjs/common';
import { BatchWriter } from './batch-writer.js';
import { EventFanOut } from './event-fan-out.js';
import { Router } from './router.js';

export const routingProviders: Provider[] = [BatchWriter, EventFanOut, Router];
