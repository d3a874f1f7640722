import type { Provider } from '@nestjs/common';
import { ActivityRecorder } from './activity-recorder.js';
import { ActivityPruner } from './activity-pruner.js';

export const activityProviders: Provider[] = [ActivityRecorder, ActivityPruner];
