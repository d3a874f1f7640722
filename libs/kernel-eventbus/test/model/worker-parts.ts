import { SchedulerRegistry } from '@nestjs/schedule';
import { CircuitBreaker } from '../../src/worker/circuit/circuit-breaker.js';
import { Admission } from '../../src/worker/admission.js';
import { AttemptReport } from '../../src/worker/attempt-report.js';
import { WebhookBody } from '../../src/request/webhook-body.js';
import { DeliveryAttempt } from '../../src/worker/delivery-attempt.js';
import { EndpointHealth } from '../../src/worker/endpoint-health.js';
import { EndpointVersions } from '../../src/worker/endpoint-versions.js';
import { GoneEndpoints } from '../../src/worker/gone-endpoints.js';
import { HeldWork } from '../../src/worker/held-work.js';
import { InFlightList } from '../../src/worker/in-flight-list.js';
import { Judge } from '../../src/worker/judge.js';
import { LaneRun } from '../../src/worker/lane-run.js';
import { LeaseKeeper } from '../../src/worker/lease-keeper.js';
import { LeaseReleaser } from '../../src/worker/lease-releaser.js';
import { BroadcastPipeline } from '../../src/dispatch/broadcast-pipeline.js';
import { Capabilities } from '../../src/dispatch/capabilities.js';
import { DispatchRunner } from '../../src/dispatch/dispatch-runner.js';
import { InvokerPipeline } from '../../src/dispatch/invoker-pipeline.js';
import { OutgoingHttp } from '@kernel/outgoing-http';
import { BatchWriter } from '../../src/routing/batch-writer.js';
import { EventFanOut } from '../../src/routing/event-fan-out.js';
import { Router } from '../../src/routing/router.js';
import { EndpointCache } from '../../src/endpoints/endpoint-cache.js';
import { EventMatcher } from '../../src/routing/event-matcher.js';
import { SubscriptionJudge } from '../../src/endpoints/subscriptions/subscription-judge.js';
import { Clock, TransientRetry } from '@kernel/runtime';
import { StageHooks, type Stage } from '../../src/runtime/stage-hooks.js';
import { WakeUp } from '../../src/runtime/wake-up.js';
import { WorkerIdentity } from '../../src/runtime/worker-identity.js';
import { PipelineObservers } from '../../src/telemetry/pipeline-observers.js';
import { Rescuer } from '../../src/upkeep/rescuer.js';
import type { Engine } from './engine.js';
import type { Journal } from './journal.js';
import type { ModelTime } from './model-time.js';
import { SteppedGate, SteppedInvoker, SteppedPulse, WatchedRecorder } from './stepped-parts.js';
import { Steps } from './steps.js';

/** The process ends at this stage of the pipeline. */
export class DyingHooks extends StageHooks {
  diesAt: Stage | undefined;

  override reached(stage: Stage): void {
    if (stage === this.diesAt) {
      throw new Error(`the worker dies at ${stage}`);
    }
  }
}

/** The engine's parts of one worker process; the schedule replaces time, capacity and network. */
export function makeWorkerParts(engine: Engine, time: ModelTime, journal: Journal) {
  const { em, config } = engine;
  const steps = new Steps();
  const identity = new WorkerIdentity();
  const hooks = new DyingHooks();
  const observers = engine.get(PipelineObservers);
  const retry = new TransientRetry();
  const wakeUp = new WakeUp();
  const changes = new EndpointVersions();
  const pulse = new SteppedPulse(config, time, steps);
  const gate = new SteppedGate(config, changes, pulse, steps);
  const inFlight = new InFlightList(em, identity, gate);
  const releaser = new LeaseReleaser(em, identity, retry);
  const capabilities = engine.get(Capabilities);
  const leases = new LeaseKeeper(em, config, identity, pulse, new SchedulerRegistry());
  const recorder = new WatchedRecorder(
    ({ delivery: { deliveryId, leaseEpoch }, status, attempts }, isTaken) =>
      journal.push({ kind: 'recorded', workerId: identity.id, deliveryId, leaseEpoch, isTaken, status, attempts }),
    ...([em, identity, hooks, wakeUp, retry] as const),
  );
  const invoker = new SteppedInvoker(
    steps,
    ({ deliveryId, leaseEpoch, endpointId }, headers) =>
      journal.push({
        ...{ kind: 'sent', workerId: identity.id, deliveryId, leaseEpoch, endpointId },
        previousSequence: headers['x-kernel-previous-sequence'] ?? null,
      }),
    ...([engine.get(WebhookBody), engine.get(InvokerPipeline), engine.get(OutgoingHttp), hooks, config] as const),
  );
  const attempt = new DeliveryAttempt(
    new Admission(gate, inFlight, capabilities, releaser),
    ...([engine.get(DispatchRunner), invoker, engine.get(Judge)] as const),
    new EndpointHealth(engine.get(CircuitBreaker), engine.get(GoneEndpoints), gate),
    recorder,
    new AttemptReport(config, engine.get(Clock), hooks, observers),
  );
  const laneRun = new LaneRun(attempt, recorder, inFlight, releaser);
  const held = new HeldWork(attempt, laneRun, leases, changes, gate, pulse, wakeUp);
  const endpoints = new EndpointCache();
  const matcher = new EventMatcher(engine.get(SubscriptionJudge), endpoints);
  const writer = new BatchWriter(config, identity, capabilities);
  const router = new Router(
    ...([em, config, hooks, observers, engine.get(BroadcastPipeline), matcher] as const),
    new EventFanOut(em, hooks, matcher, capabilities, writer),
  );
  const rescuer = new Rescuer(em, config, wakeUp, observers, pulse, new SchedulerRegistry());
  return {
    ...{ steps, identity, hooks, wakeUp, changes, endpoints, pulse, gate },
    ...{ inFlight, leases, invoker, held, router, rescuer },
  };
}
