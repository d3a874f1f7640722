import { claimSuspects } from '../../src/deliveries/suspects.sql.js';
import type { ClaimedDelivery } from '../../src/deliveries/claimed-delivery.js';
import type { ClaimedLane } from '../../src/deliveries/claims.sql.js';
import { Claimer } from '../../src/worker/claim/claimer.js';
import { QueueClaims } from '../../src/worker/claim/queue-claims.js';
import { releaseLeases } from '../../src/deliveries/leases.sql.js';
import { Slots } from '../../src/worker/slots.js';
import { Capabilities } from '../../src/dispatch/capabilities.js';
import type { Room } from '../../src/routing/room.js';
import { beat, signOff } from '../../src/worker/liveness/workers.sql.js';
import type { Stage } from '../../src/runtime/stage-hooks.js';
import type { EndpointChange } from '../../src/runtime/wake-up.js';
import type { Rescue } from '../../src/deliveries/rescue.sql.js';
import { NO_ROOM } from '../routing/no-room.js';
import type { Engine } from './engine.js';
import type { Journal } from './journal.js';
import type { ModelTime } from './model-time.js';
import { makeWorkerParts } from './worker-parts.js';

const ROOM_FOR_ALL: Room = { take: () => true };
const GROUP_SIZE = 4;

/** A worker process that performs one step per call. Each call ends when all its deliveries wait for the schedule. */
export class SteppedWorker {
  readonly #parts;
  readonly #queue;
  #renewing = Promise.resolve();

  private constructor(
    private readonly engine: Engine,
    time: ModelTime,
    private readonly journal: Journal,
  ) {
    this.#parts = makeWorkerParts(engine, time, journal);
    const { identity, pulse, wakeUp, held, leases, endpoints } = this.#parts;
    const slots = new Slots({ total: 8, perEndpoint: 8, prefetch: 1 });
    const capabilities = engine.get(Capabilities);
    const claimer = new Claimer(engine.em, engine.config, identity, pulse, capabilities, slots, endpoints);
    this.#queue = new QueueClaims(engine.config, wakeUp, claimer, slots);
    pulse.onLost(() => held.drop());
    pulse.onRecovered(() => (this.#renewing = leases.renewAll()));
  }

  static async start(engine: Engine, time: ModelTime, journal: Journal): Promise<SteppedWorker> {
    const worker = new SteppedWorker(engine, time, journal);
    await worker.beat();
    return worker;
  }

  get id(): string {
    return this.#parts.identity.id;
  }

  get pulse() {
    return this.#parts.pulse;
  }

  /** Held deliveries whose sending has not begun. */
  get waiting() {
    return this.#parts.gate.waiting;
  }

  /** Requests without a response. */
  get sent() {
    return this.#parts.invoker.sent;
  }

  async beat(): Promise<void> {
    const { pulse } = this.#parts;
    const sentAt = pulse.now();
    pulse.note(sentAt, await beat(this.engine.database, this.id));
    await this.#renewing;
    await this.quiet();
  }

  /** A real worker does this four times per lease period. */
  async renewLeases(): Promise<void> {
    await this.#parts.leases.renew();
  }

  /** `takes`: it has room for all routed deliveries. `promptly`: it also sends them while they are being written. */
  async route({ takes, promptly }: { takes: boolean; promptly: boolean }): Promise<void> {
    const { router, gate, changes } = this.#parts;
    const asOf = changes.count;
    gate.isOpen = promptly;
    await router.routeBatch(takes ? ROOM_FOR_ALL : NO_ROOM, {
      begin: (deliveries, written) => deliveries.forEach((one) => this.beginDelivery(one, asOf, written)),
    });
    await this.quiet();
    gate.isOpen = false;
  }

  /** Dies at this stage of routing. The caller discards the worker. */
  async routeAndDie(stage: Stage): Promise<void> {
    this.#parts.hooks.diesAt = stage;
    await this.route({ takes: true, promptly: true }).catch(() => undefined);
    await this.quiet();
  }

  async claim(most: number): Promise<void> {
    this.#queue.noteWaiting();
    await this.#queue.claimIfDue(most, {
      delivery: async (delivery, asOf) => this.beginDelivery(delivery, asOf),
      lane: async (lane, asOf) => this.beginLane(lane, asOf),
      countChanges: () => this.#parts.changes.count,
      lookAgain: () => undefined,
    });
    await this.quiet();
  }

  async claimSuspects(): Promise<void> {
    const { config, database } = this.engine;
    const claim = {
      leaseMs: config.leaseMs,
      takesExpired: this.pulse.mayTakeExpired,
      workerId: this.id,
      probeMs: config.circuit.probeMs,
      groupSize: GROUP_SIZE,
      sendable: this.engine.get(Capabilities).sendable,
      endpoints: this.#parts.endpoints,
    };
    const asOf = this.#parts.changes.count;
    const { deliveries, lanes } = await database.transaction().execute((trx) => claimSuspects(trx, claim));
    deliveries.forEach((delivery) => this.beginDelivery(delivery, asOf));
    lanes.forEach((lane) => this.beginLane(lane, asOf));
    await this.quiet();
  }

  /** Ends the wait of one delivery; the limits of the gate still apply. */
  async send(place: number): Promise<void> {
    const [turn] = this.waiting.splice(place % this.waiting.length, 1);
    turn!.resume();
    await this.quiet();
  }

  async answer(place: number, statusCode: number): Promise<void> {
    this.sent[place % this.sent.length]!.resume({
      ...{ kind: 'response', statusCode, headers: {}, bodyExcerpt: '', latencyMs: 1 },
    });
    await this.quiet();
  }

  async hear(change: EndpointChange): Promise<void> {
    this.#parts.held.hearChange(change);
    await this.quiet();
  }

  /** Undefined if its own heartbeats are not steady for long enough to judge others. */
  async rescue(): Promise<Rescue[] | undefined> {
    return this.pulse.mayRescue ? this.#parts.rescuer.rescue() : undefined;
  }

  /** Stops like a shutdown after its deadline. */
  async stop(): Promise<void> {
    const { held, pulse } = this.#parts;
    held.abort();
    pulse.stop();
    this.waiting.splice(0).forEach((turn) => turn.resume());
    await this.quiet();
    await releaseLeases(this.engine.database, this.id);
    await signOff(this.engine.database, this.id);
  }

  private beginDelivery(delivery: ClaimedDelivery, asOf: number, written?: Promise<void>): void {
    delivery.asOf = asOf;
    this.track([delivery], null, () => this.#parts.held.deliver(delivery, written));
  }

  private beginLane(lane: ClaimedLane, asOf: number): void {
    lane.deliveries.forEach((delivery) => (delivery.asOf = asOf));
    this.track(lane.deliveries, lane.laneId, () => this.#parts.held.run(lane));
  }

  private track(deliveries: readonly ClaimedDelivery[], laneId: string | null, work: () => Promise<unknown>): void {
    const { steps } = this.#parts;
    const keys = deliveries.map(({ deliveryId, leaseEpoch }) => ({ workerId: this.id, deliveryId, leaseEpoch }));
    deliveries.forEach(({ endpointId, isSuspect = false }, place) =>
      this.journal.push({ kind: 'held', ...keys[place]!, endpointId, laneId, isSuspect }),
    );
    steps.begin();
    void work().then(() => {
      keys.forEach((key) => this.journal.push({ kind: 'ended', ...key }));
      steps.end();
    });
  }

  private async quiet(): Promise<void> {
    await this.#parts.steps.quiet();
    // Waits for the current announcement. Nothing is announced ahead, so no cleanup is needed later.
    await this.#parts.inFlight.stop();
  }
}
