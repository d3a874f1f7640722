import { EntityManager } from '@mikro-orm/postgresql';
import { type BeforeApplicationShutdown, Injectable, Logger, Optional } from '@nestjs/common';
import { EventBusConfig } from '@kernel/eventbus/engine';
import { faultOf, engineDatabase, UPKEEP_STATEMENT_MS } from '@kernel/runtime';
import { LedgerChainStatus } from '@kernel/ledger';
import { measureLedger, type LedgerAges } from './measure-ledger.sql.js';
import { measureStore, type StoreFacts } from './measure-store.js';
import { EventBusMetricsConfig } from './metrics.options.js';
import { RefreshOnce } from './refresh-once.js';
import { ServiceMetrics } from './service-metrics.js';

const PATIENCE_MS = 5_000;
const MAX_CIRCUITS = 1_000;

/**
 * Gauges from the database, queried on scrape, at most once per interval. All processes of a database report the same
 * values, so a query takes their maximum, never the sum.
 */
@Injectable()
export class StoreGauges implements BeforeApplicationShutdown {
  readonly #logger = new Logger(StoreGauges.name);
  readonly #refresh: RefreshOnce;
  readonly #gauges: ReturnType<typeof registerGauges>;

  constructor(
    private readonly em: EntityManager,
    private readonly eventBus: EventBusConfig,
    private readonly config: EventBusMetricsConfig,
    @Optional() private readonly chain?: LedgerChainStatus,
  ) {
    this.#refresh = new RefreshOnce(() => this.round(), {
      intervalMs: config.refreshIntervalMs,
      patienceMs: PATIENCE_MS,
    });
    this.#gauges = registerGauges(config, () => this.#refresh.fresh());
    // The others have no value before the first refresh; this one says that there was none.
    this.#gauges.refreshedAt.set({}, 0);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#refresh.stop();
  }

  /** If the database does not answer, the gauges keep their values; `refreshedAt` shows their age. */
  private async round(): Promise<void> {
    try {
      this.show(
        await measureStore(engineDatabase(this.em, UPKEEP_STATEMENT_MS), {
          silentMs: this.eventBus.heartbeat.silentMs,
          maxCircuits: this.config.endpointLabels ? MAX_CIRCUITS : 0,
        }),
      );
      const verifiedAt = (await this.chain?.verifiedAt()) ?? null;
      const database = engineDatabase(this.em, UPKEEP_STATEMENT_MS);
      this.showLedger(await database.transaction().execute((trx) => measureLedger(trx, verifiedAt)));
      this.showChain(await this.chain?.isBroken());
      this.#gauges.refreshedAt.set({}, Date.now() / 1_000);
    } catch (error) {
      this.#logger.warn({ msg: 'gauges were not refreshed', fault: faultOf(error) });
    }
  }

  private show(facts: StoreFacts): void {
    const gauges = this.#gauges;
    gauges.pending.set({}, facts.pendingEvents);
    gauges.backlogOfService.set(
      {},
      facts.backlogs.reduce((sum, { count }) => sum + count, 0),
    );
    for (const { stage, circuit, count, oldestSeconds, averageSeconds } of facts.backlogs) {
      gauges.backlog.set({ stage, circuit }, count);
      gauges.oldestAge.set({ stage, circuit }, oldestSeconds);
      gauges.averageAge.set({ stage, circuit }, averageSeconds);
    }
    gauges.deadLetters.set({}, facts.deadLetters);
    gauges.oldestDeadLetter.set({}, facts.oldestDeadLetterSeconds);
    gauges.blockedLanes.set({}, facts.blockedLanes);
    gauges.oldestBlockedLane.set({}, facts.oldestBlockedSeconds);
    gauges.openCircuits.set({}, facts.openCircuits);
    gauges.oldestCircuit.set({}, facts.oldestCircuitSeconds);
    gauges.circuitState.reset();
    facts.circuits.forEach(({ tenantId, endpointId }) =>
      gauges.circuitState.set({ tenant_id: tenantId, endpoint_id: endpointId }, 1),
    );
    gauges.workersAlive.set({}, facts.workersAlive);
    gauges.partitionsAhead.set({}, facts.partitionsAhead);
    gauges.defaultPartitionEvents.set({}, facts.defaultPartitionEvents);
    gauges.xminHorizon.set({}, facts.xminHorizonAge);
    for (const { table, deadTuples, xminAge } of facts.tables) {
      gauges.deadTuples.set({ table }, deadTuples);
      gauges.xminAge.set({ table }, xminAge);
    }
  }

  private showLedger({ unsealedSeconds, unverifiedSeconds }: LedgerAges): void {
    this.#gauges.oldestUnsealed.set({}, unsealedSeconds);
    this.#gauges.oldestVerification.set({}, unverifiedSeconds ?? Number.NaN);
  }

  private showChain(isBroken: boolean | undefined): void {
    this.#gauges.chainBroken.set({}, isBroken === undefined ? Number.NaN : Number(isBroken));
  }
}

/** All gauges wait for the same refresh, because prom-client collects them concurrently. */
function registerGauges(config: EventBusMetricsConfig, collect: () => Promise<void>) {
  const metrics = new ServiceMetrics(config);
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    metrics.gauge(name, help, { labelNames, collect });
  const where: ('stage' | 'circuit')[] = ['stage', 'circuit'];
  return {
    pending: gauge('outbox_events_pending', 'Events that wait to be routed'),
    backlogOfService: gauge('outbox_backlog_gauge', 'Everything that is due: events, and deliveries in lanes or not'),
    backlog: gauge('kernel_backlog', 'What is due, by where it waits and whether the circuit is open', where),
    oldestAge: gauge('kernel_backlog_oldest_age_seconds', 'For how long the oldest has been due', where),
    averageAge: gauge('kernel_backlog_average_age_seconds', 'For how long it has been due on average', where),
    deadLetters: gauge('kernel_dead_letters', 'Deliveries in the DLQ'),
    oldestDeadLetter: gauge('kernel_dead_letters_oldest_age_seconds', 'For how long the oldest has been in the DLQ'),
    blockedLanes: gauge('kernel_lanes_blocked', 'Lanes that wait behind a dead letter'),
    oldestBlockedLane: gauge('kernel_lanes_blocked_oldest_age_seconds', 'For how long the first has been blocked'),
    openCircuits: gauge('kernel_circuits_open', 'Endpoints that get nothing but probes'),
    oldestCircuit: gauge('kernel_circuits_open_oldest_age_seconds', 'For how long the first has been open'),
    circuitState: gauge('kernel_circuit_state', 'Open circuits by endpoint, where the module is told to name them', [
      'tenant_id',
      'endpoint_id',
    ]),
    workersAlive: gauge('kernel_workers_alive', 'Worker processes with a fresh heartbeat'),
    partitionsAhead: gauge('kernel_partitions_ahead', "The outbox's partitions behind the current one, without a gap"),
    defaultPartitionEvents: gauge('kernel_default_partition_events', "Events in the outbox's default partition"),
    deadTuples: gauge('kernel_table_dead_tuples', 'Rows that vacuum has still to remove', ['table']),
    xminAge: gauge('kernel_table_xmin_age_transactions', 'Transactions since the oldest row that is not frozen', [
      'table',
    ]),
    xminHorizon: gauge(
      'kernel_xmin_horizon_age_transactions',
      'Transactions since the oldest snapshot that holds vacuum back',
    ),
    chainBroken: gauge('kernel_ledger_chain_broken', "1 when the ledger's chain of seals does not hold, else 0"),
    oldestUnsealed: gauge(
      'kernel_ledger_unsealed_oldest_age_seconds',
      'Since when the oldest entry waits that no seal covers',
    ),
    oldestVerification: gauge(
      'kernel_ledger_verified_age_seconds',
      'Since a verification has last reached the end of the chain of seals, or since the first seal',
    ),
    refreshedAt: gauge('kernel_gauges_refreshed_timestamp_seconds', 'When the database last answered for these gauges'),
  };
}
