import { Slots } from '../../src/worker/slots.js';
import type { Room } from '../../src/routing/room.js';

/** A worker that has no place left: whatever is routed waits in the queue. */
export const NO_ROOM: Room = new Slots({ total: 0, perEndpoint: 0, prefetch: 1 }).reserve(0);
