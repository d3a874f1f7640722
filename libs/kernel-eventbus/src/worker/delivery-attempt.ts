import { Injectable } from '@nestjs/common';
import { DispatchRunner, type DispatchResult } from '../dispatch/dispatch-runner.js';
import { EndpointInvoker } from '../dispatch/endpoint-invoker.js';
import type { InvocationResult } from '../dispatch/invocation.js';
import { traceAttempt } from '../telemetry/spans.js';
import { Admission } from './admission.js';
import type { AttemptRecord } from '../deliveries/attempt-record.js';
import { abandonDelivery, abortedAttempt, attemptFacts, deferDelivery, settleAttempt } from './conclude-attempt.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { AttemptReport } from './attempt-report.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { DeliveryReleasedError } from './delivery-released.error.js';
import { EndpointHealth } from './endpoint-health.js';
import type { EndpointSignals } from './endpoint-signals.js';
import { Judge } from './judge.js';

/**
 * The steps of one claimed delivery:
 *
 * - admit: park it while its endpoint is disabled; dead-letter it if the endpoint is deleted or if it crashes workers;
 * - hand it off to the endpoint's dispatcher, which calls back when it is ready to send;
 * - wait for a place in flight, then prepare the body, sign the request and send it;
 * - judge the result: delivered, retry or dead-letter. A fault on our side defers it without using up an attempt;
 * - record the outcome together with its ledger entries, fenced by the lease.
 *
 * An attempt that is aborted without an answer is released to the queue.
 */
@Injectable()
export class DeliveryAttempt {
  constructor(
    private readonly admission: Admission,
    private readonly dispatches: DispatchRunner,
    private readonly endpoint: EndpointInvoker,
    private readonly judge: Judge,
    private readonly health: EndpointHealth,
    private readonly recorder: AttemptRecorder,
    private readonly report: AttemptReport,
  ) {}

  /**
   * The whole way of a delivery outside of lanes. Never rejects. True if it was released, so that it is to be claimed
   * again. `written`: resolves after the write of the delivery's row, whatever its result.
   */
  async deliver(delivery: ClaimedDelivery, signals: EndpointSignals, written?: Promise<void>): Promise<boolean> {
    try {
      const { endpoint } = delivery;
      if (!endpoint.isEnabled && !endpoint.isDeleted) {
        await this.admission.park(delivery);
        return false;
      }
      const record = await signals.during(delivery.endpointId, endpoint.version, (signal) =>
        this.perform(delivery, signal, written),
      );
      await this.record(record);
      return false;
    } catch (error) {
      if (error instanceof DeliveryReleasedError) {
        await this.admission.release(delivery);
        await this.recorder.noteAborted(error);
        return true;
      }
      // Nothing is recorded: the lease expires, and the delivery is sent again with the same id.
      this.report.notRecorded(delivery, error);
      return false;
    } finally {
      this.admission.leave(delivery);
    }
  }

  /**
   * Admits, sends and judges; the result is to be recorded. Ends after `written`: if the row was not written, the
   * attempt has happened all the same. Throws a `DeliveryReleasedError` if it was aborted without an answer.
   */
  async perform(delivery: ClaimedDelivery, signal: AbortSignal, written?: Promise<void>): Promise<AttemptRecord> {
    let record: AttemptRecord;
    try {
      record = await traceAttempt(delivery, () => this.attempt(delivery, signal));
    } finally {
      await written;
    }
    this.report.ended(record);
    return record;
  }

  private async attempt(delivery: ClaimedDelivery, signal: AbortSignal): Promise<AttemptRecord> {
    this.report.claimed();
    const refusal = this.admission.refuse(delivery);
    if (refusal) {
      return abandonDelivery(delivery, refusal);
    }
    const { invocation, handoff } = await this.send(delivery, signal);
    // An answer counts, even if the attempt was aborted meanwhile.
    if (signal.aborted && !isAnswered(invocation)) {
      throw new DeliveryReleasedError(abortedAttempt(delivery, invocation, handoff));
    }
    if (invocation.kind === 'deferred') {
      this.report.deferred(delivery, invocation);
      return deferDelivery(delivery, invocation, this.judge.delayOfDeferral(delivery));
    }
    this.report.sent();
    const outcome = this.judge.outcomeOf(delivery, invocation.result);
    await this.health.noteAnswer(delivery, outcome);
    const facts = attemptFacts(invocation, handoff);
    this.report.judged(delivery, outcome, facts);
    return settleAttempt(delivery, outcome, facts);
  }

  /** Hands off to the dispatcher. When that calls back, a place in flight is awaited; then prepare, sign and send. */
  private async send(delivery: ClaimedDelivery, signal: AbortSignal): Promise<DispatchResult> {
    await this.admission.handOff(delivery);
    return this.dispatches.run(delivery, signal, (transport) =>
      this.admission.pass(delivery, () => this.endpoint.invoke(delivery, signal, transport)),
    );
  }

  /**
   * False if the delivery had moved on under another lease; then nothing was changed. Such an outcome does not count
   * against the endpoint: the worker may have been frozen while another one delivered, and a circuit opened now would
   * have nothing to probe.
   */
  async record(record: AttemptRecord, options?: { isAwaited: boolean }): Promise<boolean> {
    const isTaken = await this.recorder.record(record, options);
    if (isTaken) {
      await this.health.noteRecorded(record);
    }
    return isTaken;
  }
}

function isAnswered(invocation: InvocationResult): boolean {
  return invocation.kind === 'invoked' && invocation.result.kind === 'response';
}
