import { ProcessedEventEntity } from './reception/processed-event.entity.js';

/** For hosts that compare their entities with the database: put them beside your own. The inbox itself does not need them. */
export const inboxEntities = [ProcessedEventEntity];
