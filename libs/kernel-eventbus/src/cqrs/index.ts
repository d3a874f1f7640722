export { EventBusCqrsModule, type EventBusCqrsOptions } from './eventbus-cqrs.module.js';
