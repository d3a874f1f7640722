import { Migration20261116500101Governance } from './20261116500101-governance.js';

export const projectionMigrations = [Migration20261116500101Governance];
