import { ProcessedEventEntity } from './reception/processed-event.entity.js';

/**
 * For hosts that compare their entities with the database: add these to the host's own. The inbox does not need them.
 */
export const inboxEntities = [ProcessedEventEntity];
