import type { Provider } from '@nestjs/common';
import { EndpointVersions } from './endpoint-versions.js';
import { SendGate } from './send-gate.js';
import { InFlightList } from './in-flight-list.js';
import { CircuitBreaker } from './circuit/circuit-breaker.js';
import { GoneEndpoints } from './gone-endpoints.js';
import { LeaseReleaser } from './lease-releaser.js';
import { Admission } from './admission.js';
import { Judge } from './judge.js';
import { EndpointHealth } from './endpoint-health.js';
import { AttemptReport } from './attempt-report.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { DeliveryAttempt } from './delivery-attempt.js';
import { LeaseKeeper } from './lease-keeper.js';
import { LaneRun } from './lane-run.js';
import { HeldWork } from './held-work.js';
import { Slots, slotsFor } from './slots.js';
import { EventBusConfig } from '../eventbus.config.js';
import { Claimer } from './claim/claimer.js';
import { QueueClaims } from './claim/queue-claims.js';
import { WorkTracker } from './work-tracker.js';
import { Suspects } from './suspects.js';
import { BatchRouting } from './batch-routing.js';
import { DeliveryProcessor } from './delivery-processor.js';
import { WorkerPresence } from './worker-presence.js';
import { WorkerLifecycle } from './worker-lifecycle.js';
import { EndpointWatch } from './endpoint-watch.js';

export const workerProviders: Provider[] = [
  EndpointVersions,
  SendGate,
  InFlightList,
  CircuitBreaker,
  GoneEndpoints,
  LeaseReleaser,
  Admission,
  Judge,
  EndpointHealth,
  AttemptReport,
  AttemptRecorder,
  DeliveryAttempt,
  LeaseKeeper,
  LaneRun,
  HeldWork,
  { provide: Slots, inject: [EventBusConfig], useFactory: slotsFor },
  Claimer,
  QueueClaims,
  WorkTracker,
  Suspects,
  BatchRouting,
  DeliveryProcessor,
  WorkerPresence,
  WorkerLifecycle,
  EndpointWatch,
];
