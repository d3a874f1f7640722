import type { Work } from '../harness/work.ts';
import { adminLoad } from './admin-load.ts';
import { backlog } from './backlog.ts';
import { curve } from './curve.ts';
import { deadEndpoint } from './dead-endpoint.ts';
import { drain } from './drain.ts';
import { fleet } from './fleet.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { memory } from './memory.ts';
import { order } from './order.ts';
import { publish } from './publish.ts';
import { sameJob } from './same-job.ts';
import { soak } from './soak.ts';
import { workers } from './workers.ts';

/** In the order of the table. */
export const works: Work[] = [
  drain,
  sameJob,
  fleet,
  publish,
  latency,
  backlog,
  order,
  deadEndpoint,
  memory,
  workers,
  growth,
  soak,
  adminLoad,
  curve,
];
