import { Migration20261116200001ReceivedEvent } from './20261116200001-received-event.js';

export const receiverMigrations = [Migration20261116200001ReceivedEvent];
