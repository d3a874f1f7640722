import { Slots } from '../../src/worker/slots.js';
import type { Room } from '../../src/routing/room.js';

/** A worker without free slots: all routed deliveries wait in the queue. */
export const NO_ROOM: Room = new Slots({ total: 0, perEndpoint: 0, prefetch: 1 }).reserve(0);
