import type { Provider } from '@nestjs/common';
import { WorkerCount } from './worker-count.js';
import { RemoteWakeUp } from './remote-wake-up.js';
import { AdaptivePolling } from './adaptive-polling.js';
import { Pulse } from './pulse.js';
import { Heartbeat } from './heartbeat.js';

export const livenessProviders: Provider[] = [WorkerCount, RemoteWakeUp, AdaptivePolling, Pulse, Heartbeat];
