import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Random } from '@kernel/runtime';

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
const TRIES = 8;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Retries for a heavily used lock: short tries with growing pauses instead of one long wait that blocks others. */
@Injectable()
export class LockPatience {
  constructor(private readonly random: Random) {}

  /** Undefined if the lock was not available. `work` returns `busy` if another process holds the upkeep lock. */
  async try<T>(work: (tries: number) => Promise<T | 'busy'>, signal?: AbortSignal): Promise<T | undefined> {
    for (let tries = 1; ; tries++) {
      const result = await work(tries).catch(busyIfLocked);
      if (result !== 'busy') {
        return result;
      }
      if (tries === TRIES || signal?.aborted) {
        return undefined;
      }
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
      await delay(pauseMs * (1 + this.random.fraction()));
    }
  }
}

function busyIfLocked(error: unknown): 'busy' {
  const { code } = error as { code?: string };
  if (code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED) {
    return 'busy';
  }
  throw error;
}
