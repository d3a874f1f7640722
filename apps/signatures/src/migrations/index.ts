import { Migration20261116400001SignatureRequests } from './20261116400001-signature-requests.js';

/** The domain's own table; it comes after the kernel's. */
export const signatureMigrations = [Migration20261116400001SignatureRequests];
