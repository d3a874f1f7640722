import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import { OutgoingGuard, type OutgoingGuardOptions } from '../guard/outgoing-guard.js';
import { OutgoingHttp } from './outgoing-http.js';
import { PinnedPools } from './pinned-pools.js';

export interface OutgoingHttpOptions extends OutgoingGuardOptions {
  /** Maximum requests in flight. */
  concurrency: number;
}

/** The guarded HTTP client for a process without `EventBusModule`. Close it with `onApplicationShutdown`. */
export function createOutgoingHttp({ concurrency, ...guard }: OutgoingHttpOptions): OutgoingHttp {
  const pools = new PinnedPools({ connectionsPerPool: concurrency });
  return new OutgoingHttp(new HttpService(axios.create()), new OutgoingGuard(guard), pools);
}
