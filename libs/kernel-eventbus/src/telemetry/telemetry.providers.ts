import type { Provider } from '@nestjs/common';
import { PipelineObservers } from './pipeline-observers.js';

export const telemetryProviders: Provider[] = [PipelineObservers];
