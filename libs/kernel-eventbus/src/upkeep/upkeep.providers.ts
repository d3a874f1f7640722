import type { Provider } from '@nestjs/common';
import { Rescuer } from './rescuer.js';
import { LockPatience } from './lock-patience.js';
import { PartitionKeeper } from './partition-keeper.js';
import { PartitionDropper } from './partition-dropper.js';
import { BatchPruner } from './batch-pruner.js';
import { RetentionKeeper } from './retention-keeper.js';
import { RetentionForecast } from './retention-forecast.js';
import { UpkeepSchedule } from './upkeep-schedule.js';

export const upkeepProviders: Provider[] = [
  Rescuer,
  LockPatience,
  PartitionKeeper,
  PartitionDropper,
  BatchPruner,
  RetentionKeeper,
  RetentionForecast,
  UpkeepSchedule,
];
