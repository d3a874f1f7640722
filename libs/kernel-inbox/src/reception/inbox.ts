import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { InboxTransactionRequiredError, StreamGapError, type Gap } from '../inbox.errors.js';
import { InboxConfig, readInboxOptions, type InboxOptions } from '../inbox.options.js';
import { pruneMarks, findGaps, forgetStream, markEvent } from './processed-events.sql.js';
import type { InboxEvent } from '../verification/inbox-event.js';
import { parseKey } from '../verification/parse-key.js';
import { readEvent } from '../verification/read-event.js';
import { headerOf, type ReceivedMessage } from '../verification/received-message.js';
import { verifyMessage } from '../verification/verify-message.js';
import { judgeOrder, type StreamOrder } from './stream-order.js';

const PRUNE_BATCH = 1_000;

/** `duplicate`: processed before, nothing happened now. To the sender both are success. */
export type Reception = { kind: 'processed'; order: StreamOrder } | { kind: 'duplicate' };

/**
 * Writes with this EntityManager, or with the injected one, commit together with the mark; an exception undoes both.
 */
export type Work = (event: InboxEvent, em: EntityManager, order: StreamOrder) => unknown;

/** Processes each event once: the mark commits in the transaction of the event's effect. */
@Injectable()
export class Inbox {
  constructor(
    private readonly em: EntityManager,
    private readonly config: InboxConfig,
  ) {}

  /** For programs without Nest. */
  static of(em: EntityManager, options: InboxOptions): Inbox {
    return new Inbox(em, readInboxOptions(options));
  }

  /**
   * @throws {SignatureInvalidError} when the message is not proven to come from the sender
   * @throws {NotAnEventError} when it is signed but is not an event
   */
  async verify(message: ReceivedMessage, { isOfAnyAge = false, now = new Date() } = {}): Promise<InboxEvent> {
    const claim = { tenantId: headerOf(message, 'x-kernel-tenant-id')?.toLowerCase() };
    const keys = typeof this.config.keys === 'function' ? await this.config.keys(claim) : this.config.keys;
    const toleranceSeconds = isOfAnyAge ? 'any' : this.config.toleranceSeconds;
    verifyMessage(message, { keys: keys.map(parseKey), toleranceSeconds, now });
    return readEvent(message);
  }

  /** Runs the work in its own transaction, once per event, however often and concurrently it is called. */
  process(event: InboxEvent, work: Work): Promise<Reception> {
    return this.em.fork().transactional(async (em) => {
      const reception = await this.mark(event, em);
      if (reception.kind === 'processed') {
        await work(event, em, reception.order);
      }
      return reception;
    });
  }

  /** The same in the caller's transaction: apply the effect only when the result is `processed`. */
  async mark(event: InboxEvent, em: EntityManager): Promise<Reception> {
    if (!em.isInTransaction()) {
      throw new InboxTransactionRequiredError();
    }
    const { name: inbox, gaps } = this.config;
    const { outcome, ...known } = await markEvent(em.getKysely(), { inbox, refusesGaps: gaps === 'refuse' }, event);
    switch (outcome) {
      case 'marked':
        return { kind: 'processed', order: judgeOrder(event, known) };
      case 'known':
        return { kind: 'duplicate' };
      case 'refused': {
        const { tenantId, streamKey, previousSequence: upTo } = event;
        throw new StreamGapError({ tenantId, streamKey, after: known.last!, upTo: upTo! });
      }
    }
  }

  /** Gaps in streams, oldest first: events were sent before others that arrived. Ask the sender to replay them. */
  findGaps({ limit = 100 } = {}): Promise<Gap[]> {
    return findGaps(this.em.fork().getKysely(), this.config.name, limit);
  }

  /**
   * Skips a gap that cannot be filled: the next event of the stream counts as `joined`. Duplicates are still detected.
   */
  forgetStream(stream: { tenantId: string; streamKey: string }): Promise<void> {
    return forgetStream(this.em.fork().getKysely(), this.config.name, stream);
  }

  /** Deletes marks older than `retentionDays` and returns their number. Stops after the current batch when aborted. */
  async prune({ signal }: { signal?: AbortSignal } = {}): Promise<number> {
    const { name: inbox, retentionDays } = this.config;
    let pruned = 0;
    let batch: number;
    do {
      batch = await pruneMarks(this.em.fork().getKysely(), { inbox, retentionDays, limit: PRUNE_BATCH });
      pruned += batch;
    } while (batch === PRUNE_BATCH && !signal?.aborted);
    return pruned;
  }
}
