import { Migration20261116400001SignatureRequests } from './20261116400001-signature-requests.js';

/** The domain's own table; run after the kernel's migrations. */
export const signatureMigrations = [Migration20261116400001SignatureRequests];
