import type { Work } from '../harness/work.ts';
import { backlog } from './backlog.ts';
import { deadEndpoint } from './dead-endpoint.ts';
import { drain } from './drain.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { order } from './order.ts';
import { publish } from './publish.ts';
import { workers } from './workers.ts';

/** In the order of the table. */
export const works: Work[] = [drain, publish, latency, backlog, order, deadEndpoint, memory, workers];
