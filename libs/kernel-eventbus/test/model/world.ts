import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { absorb } from './absorb.js';
import { absorbRouted, absorbSuspects, checkStored } from './check.js';
import { LOOSE_TYPE, ORDERED_TYPE, type Engine } from './engine.js';
import type { Journal } from './journal.js';
import { ModelTime, TIMES } from './model-time.js';
import { Model, type ModelEndpoint } from './model.js';
import { takeSnapshot } from './snapshot.js';
import { SteppedWorker } from './stepped-worker.js';

export const WORKER_COUNT = 3;
export const TENANT_COUNT = 2;
const STARTED = { isFrozen: false, wasFrozen: false, waiting: 0, sent: 0 };
const NOWHERE = 'http://127.0.0.1:9/hook';

/** The engine under test, its workers and the model, compared after each command. */
export class World {
  readonly workers: SteppedWorker[] = [];
  readonly #journal: Journal = [];
  readonly #mayBeSuspect = new Set<string>();

  private constructor(
    readonly engine: Engine,
    readonly tenantIds: readonly string[],
    readonly model: Model,
  ) {}

  static async start(engine: Engine): Promise<World> {
    await engine.clear();
    const tenantIds = Array.from({ length: TENANT_COUNT }, () => randomUUID());
    const endpoints = await Promise.all(tenantIds.map((tenantId, place) => addEndpoints(engine, tenantId, place)));
    const world = new World(engine, tenantIds, new Model(new ModelTime(), endpoints.flat(), [], engine.tally));
    for (let place = 0; place < WORKER_COUNT; place++) {
      await world.startWorker(place);
    }
    return world;
  }

  /** Replaces the previous process at this place; its state is lost. */
  async startWorker(place: number): Promise<void> {
    const { time } = this.model;
    const worker = await SteppedWorker.start(this.engine, time, this.#journal);
    this.workers[place] = worker;
    this.model.workers[place] = { id: worker.id, ...STARTED, lastBeatMs: time.nowMs };
    this.model.lastBeats.set(worker.id, time.nowMs);
  }

  async beat(place: number): Promise<void> {
    const { model } = this;
    const state = model.workers[place]!;
    await this.workers[place]!.beat();
    if (model.time.nowMs - state.lastBeatMs > TIMES.silentMs / 2) {
      model.heldBy(state.id).forEach((hold) => (hold.leaseUntilMs = model.time.nowMs + TIMES.leaseMs));
    }
    Object.assign(state, { lastBeatMs: model.time.nowMs, wasFrozen: false });
    model.lastBeats.set(state.id, model.time.nowMs);
  }

  async renewLeases(place: number): Promise<void> {
    const { model } = this;
    await this.workers[place]!.renewLeases();
    for (const hold of model.heldBy(model.workers[place]!.id)) {
      hold.looks++;
      if (hold.looks > 1) {
        hold.leaseUntilMs = model.time.nowMs + TIMES.leaseMs;
      }
    }
  }

  /** Workers that are not frozen send heartbeats and renew leases meanwhile. */
  async passTime(hours: number): Promise<void> {
    for (let left = hours; left > 0; left -= TIMES.beatHours) {
      await this.model.time.pass(this.engine.kernel.database, Math.min(left, TIMES.beatHours));
      for (const place of this.livePlaces) {
        await this.beat(place);
        await this.renewLeases(place);
      }
    }
  }

  async stopWorker(place: number): Promise<void> {
    const { id } = this.model.workers[place]!;
    await this.workers[place]!.stop();
    this.model.lastBeats.delete(id);
    this.model.heldBy(id).forEach((hold) => (hold.isOver = true));
    await this.startWorker(place);
  }

  freeze(place: number, isFrozen: boolean): Promise<void> {
    Object.assign(this.model.workers[place]!, { isFrozen, wasFrozen: true });
    return Promise.resolve();
  }

  /** As if a live worker had not renewed them. */
  async expireLeases(place: number): Promise<void> {
    const { id } = this.model.workers[place]!;
    for (const table of ['kernel_webhook_delivery', 'kernel_lane']) {
      const query = `update ${table} set lease_until = now() - interval '1 second' where leased_by = $1`;
      await this.engine.kernel.database.query(query, [id]);
    }
    this.model.heldBy(id).forEach((hold) => (hold.leaseUntilMs = -1));
  }

  get livePlaces(): number[] {
    return [...this.model.workers.keys()].filter((place) => !this.model.workers[place]!.isFrozen);
  }

  async rescue(place: number): Promise<void> {
    const { model } = this;
    const rescues = await this.workers[place]!.rescue();
    if (!rescues) {
      return;
    }
    const silent = model.silentWorkerIds;
    assert.deepEqual(rescues.map(({ workerId }) => workerId).sort(), silent.sort(), 'workers that are rescued');
    for (const workerId of silent) {
      const isLive = model.workers.some(({ id, wasFrozen }) => id === workerId && !wasFrozen);
      assert(!isLive, `a worker that lives is taken for dead: ${workerId}`);
      model.lastBeats.delete(workerId);
      for (const hold of model.heldBy(workerId)) {
        hold.lostBy = 'rescue';
        model.count('rescued');
        // The stored in-flight list is not updated when a delivery ends, so it may still contain a second hold.
        if (model.sentBy.get(workerId)?.has(hold.deliveryId)) {
          this.#mayBeSuspect.add(hold.deliveryId);
        }
      }
    }
  }

  /** Runs after each command: applies the facts to the model and compares it with the database. */
  async compare(): Promise<void> {
    const { model } = this;
    const snapshot = await takeSnapshot(this.engine.kernel.database, this.tenantIds);
    absorbRouted(model, snapshot);
    for (const fact of this.#journal.splice(0)) {
      const claimer = this.workers.find(({ id }) => id === fact.workerId);
      absorb(model, fact, claimer?.pulse.mayTakeExpired ?? false);
    }
    checkStored(model, snapshot);
    absorbSuspects(model, snapshot, this.#mayBeSuspect);
    this.#mayBeSuspect.clear();
    assert.deepEqual(this.engine.errors, [], 'errors in the log');
    this.workers.forEach(({ waiting, sent }, place) =>
      Object.assign(model.workers[place]!, { waiting: waiting.length, sent: sent.length }),
    );
  }
}

/**
 * One unordered endpoint for all types and one ordered endpoint. The second tenant's ordered endpoint skips dead
 * letters.
 */
async function addEndpoints(engine: Engine, tenantId: string, place: number): Promise<ModelEndpoint[]> {
  const settings = { tenantId, url: NOWHERE };
  const loose = { types: [ORDERED_TYPE, LOOSE_TYPE], ordering: 'none' } as const;
  const ordered = { types: [ORDERED_TYPE], ordering: 'stream', onDeadLetter: place === 0 ? 'block' : 'skip' } as const;
  return Promise.all(
    [loose, ordered].map(async (kind) => {
      const { endpointId } = await engine.kernel.addEndpoint({ ...settings, ...kind, types: [...kind.types] });
      const isOrdered = kind.ordering === 'stream';
      return { endpointId, tenantId, types: kind.types, isOrdered, isEnabled: true, isDeleted: false };
    }),
  );
}
