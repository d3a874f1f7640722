import type { EventBusConfig } from '../../src/eventbus.config.js';
import type { EndpointVersions } from '../../src/worker/endpoint-versions.js';
import { SendGate } from '../../src/worker/send-gate.js';
import { AttemptRecorder } from '../../src/worker/attempt-recorder.js';
import type { AttemptRecord } from '../../src/deliveries/attempt-record.js';
import { EndpointInvoker } from '../../src/dispatch/endpoint-invoker.js';
import type { InvocationRequest, InvocationResult } from '../../src/dispatch/invocation.js';
import type { OutgoingResult } from '@kernel/outgoing-http';
import { Pulse, type Moment } from '../../src/worker/liveness/pulse.js';
import type { ModelTime } from './model-time.js';
import type { Pause, Steps } from './steps.js';

/** Uses the model's time. The schedule triggers the next heartbeat. */
export class SteppedPulse extends Pulse {
  #waiting = 0;

  constructor(
    config: EventBusConfig,
    private readonly time: ModelTime,
    private readonly steps: Steps,
  ) {
    super(config);
  }

  override now(): Moment {
    return { monotonicMs: this.time.nowMs, wallMs: this.time.nowMs };
  }

  override untilFresh(): Promise<boolean> {
    this.#waiting++;
    this.steps.end();
    return super.untilFresh();
  }

  override note(sentAt: Moment, isNew: boolean): void {
    this.goOn();
    super.note(sentAt, isNew);
  }

  override stop(): void {
    this.goOn();
    super.stop();
  }

  private goOn(): void {
    for (; this.#waiting > 0; this.#waiting--) {
      this.steps.begin();
    }
  }
}

export interface Turn extends Pause<void> {
  deliveryId: string;
}

/** Admits a delivery when the schedule says so, as if there had been no room before. */
export class SteppedGate extends SendGate {
  readonly waiting: Turn[] = [];
  /** If true, claimed and routed deliveries are sent at once. */
  isOpen = false;

  constructor(
    config: EventBusConfig,
    changes: EndpointVersions,
    pulse: Pulse,
    private readonly steps: Steps,
  ) {
    super(config, changes, pulse);
  }

  override async enter(delivery: Parameters<SendGate['enter']>[0]): Promise<void> {
    if (!this.isOpen) {
      const turn: Turn = { ...this.steps.pause<void>(), deliveryId: delivery.deliveryId };
      this.waiting.push(turn);
      await turn.resumed;
    }
    return super.enter(delivery);
  }
}

export interface Sent extends Pause<OutgoingResult> {
  deliveryId: string;
}

/** Replaces the network: holds each request until the schedule provides the response. */
export class SteppedInvoker extends EndpointInvoker {
  readonly sent: Sent[] = [];

  constructor(
    private readonly steps: Steps,
    private readonly onSent: (request: InvocationRequest, headers: Record<string, string>) => void,
    ...parts: ConstructorParameters<typeof EndpointInvoker>
  ) {
    super(...parts);
  }

  override invoke(request: InvocationRequest, signal?: AbortSignal): Promise<InvocationResult> {
    return super.invoke(request, signal, ({ headers }) => this.keep(request, headers, signal));
  }

  private async keep(
    request: InvocationRequest,
    headers: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<OutgoingResult> {
    if (signal?.aborted) {
      return ABORTED;
    }
    this.onSent(request, headers);
    const sent: Sent = { ...this.steps.pause<OutgoingResult>(), deliveryId: request.deliveryId };
    this.sent.push(sent);
    signal?.addEventListener('abort', () => sent.resume(ABORTED));
    return sent.resumed.finally(() => this.sent.splice(this.sent.indexOf(sent), 1));
  }
}

const ABORTED: OutgoingResult = { kind: 'failure', errorClass: 'connection', message: 'aborted', latencyMs: 1 };

/** Reports whether an outcome was accepted. */
export class WatchedRecorder extends AttemptRecorder {
  constructor(
    private readonly onRecorded: (record: AttemptRecord, isTaken: boolean) => void,
    ...parts: ConstructorParameters<typeof AttemptRecorder>
  ) {
    super(...parts);
  }

  override async record(record: AttemptRecord, options?: { isAwaited?: boolean }): Promise<boolean> {
    const isTaken = await super.record(record, options);
    this.onRecorded(record, isTaken);
    return isTaken;
  }
}
