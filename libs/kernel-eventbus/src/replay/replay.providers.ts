import type { Provider } from '@nestjs/common';
import { DeliveryReplay } from './delivery-replay.js';
import { ReplayService } from './replay.service.js';
import { BulkReplay } from './bulk-replay.js';
import { MissingReplay } from './missing-replay.js';
import { OperationWorks } from './operations/operation-works.js';
import { OperationService } from './operations/operation.service.js';
import { OperationRunner } from './operations/operation-runner.js';

export const replayProviders: Provider[] = [
  DeliveryReplay,
  ReplayService,
  BulkReplay,
  MissingReplay,
  OperationWorks,
  OperationService,
  OperationRunner,
];
