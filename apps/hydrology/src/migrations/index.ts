import { Migration20261116300001Flow } from './20261116300001-flow.js';

/** The pipeline's own tables; run after the kernel's migrations. */
export const hydrologyMigrations = [Migration20261116300001Flow];
