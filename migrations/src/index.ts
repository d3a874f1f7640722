import { Migration20261116000001Outbox } from './20261116000001-outbox.js';
import { Migration20261116000002Webhooks } from './20261116000002-webhooks.js';
import { Migration20261116000003Ledger } from './20261116000003-ledger.js';
import { Migration20261116000004PrivacyPolicy } from './20261116000004-privacy-policy.js';
import { Migration20261116000005SecretVault } from './20261116000005-secret-vault.js';
import { Migration20261116000006AdminToken } from './20261116000006-admin-token.js';
import { Migration20261116000007StreamsAndLanes } from './20261116000007-streams-and-lanes.js';
import { Migration20261116000008WorkersAndCircuits } from './20261116000008-workers-and-circuits.js';
import { Migration20261116000009Growth } from './20261116000009-growth.js';
import { Migration20261116000010LeanIndexes } from './20261116000010-lean-indexes.js';
import { Migration20261116000011Subscriptions } from './20261116000011-subscriptions.js';
import { Migration20261116000012Dispatch } from './20261116000012-dispatch.js';
import { Migration20261116000015SecretVersions } from './20261116000015-secret-versions.js';
import { Migration20261116000018IdempotencyKeys } from './20261116000018-idempotency-keys.js';
import { Migration20261116000019LedgerSeals } from './20261116000019-ledger-seals.js';
import { Migration20261116000021TraceParent } from './20261116000021-trace-parent.js';
import { Migration20261116000022Operations } from './20261116000022-operations.js';
import { Migration20261116000023DatabaseRoles } from './20261116000023-database-roles.js';
import { Migration20261116000024ReadablePartitions } from './20261116000024-readable-partitions.js';
import { Migration20261116000025AllTenants } from './20261116000025-all-tenants.js';
import { Migration20261116000026GuardedPartitions } from './20261116000026-guarded-partitions.js';
import { Migration20261116000027TenantLedger } from './20261116000027-tenant-ledger.js';
import { Migration20261116000028Upkeep } from './20261116000028-upkeep.js';
import { Migration20261116000034Console } from './20261116000034-console.js';
import { Migration20261116000036UnwrittenBatches } from './20261116000036-unwritten-batches.js';
import { Migration20261118000001OperatorUrls } from './20261118000001-operator-urls.js';
import { Migration20261118000002DropUnwrittenBatches } from './20261118000002-drop-unwritten-batches.js';
import { Migration20261118000003ClaimsInTurn } from './20261118000003-claims-in-turn.js';
import { Migration20261118000004InFlight } from './20261118000004-in-flight.js';
import { Migration20261118000005DisabledByKernel } from './20261118000005-disabled-by-kernel.js';
import { Migration20261118000006AttemptConclusions } from './20261118000006-attempt-conclusions.js';
import { Migration20261119000001AuthenticatedTokens } from './20261119000001-authenticated-tokens.js';
import { Migration20261119000002DefinerFunctions } from './20261119000002-definer-functions.js';
import { Migration20261119000003DatabaseTimes } from './20261119000003-database-times.js';
import { Migration20261119000004TraceState } from './20261119000004-trace-state.js';

/** All migrations of the kernel's tables, oldest first: put them into MikroORM's `migrations.migrationsList`. */
export const kernelMigrations = [
  Migration20261116000001Outbox,
  Migration20261116000002Webhooks,
  Migration20261116000003Ledger,
  Migration20261116000004PrivacyPolicy,
  Migration20261116000005SecretVault,
  Migration20261116000006AdminToken,
  Migration20261116000007StreamsAndLanes,
  Migration20261116000008WorkersAndCircuits,
  Migration20261116000009Growth,
  Migration20261116000010LeanIndexes,
  Migration20261116000011Subscriptions,
  Migration20261116000012Dispatch,
  Migration20261116000015SecretVersions,
  Migration20261116000018IdempotencyKeys,
  Migration20261116000019LedgerSeals,
  Migration20261116000021TraceParent,
  Migration20261116000022Operations,
  Migration20261116000023DatabaseRoles,
  Migration20261116000024ReadablePartitions,
  Migration20261116000025AllTenants,
  Migration20261116000026GuardedPartitions,
  Migration20261116000027TenantLedger,
  Migration20261116000028Upkeep,
  Migration20261116000034Console,
  Migration20261116000036UnwrittenBatches,
  Migration20261118000001OperatorUrls,
  Migration20261118000002DropUnwrittenBatches,
  Migration20261118000003ClaimsInTurn,
  Migration20261118000004InFlight,
  Migration20261118000005DisabledByKernel,
  Migration20261118000006AttemptConclusions,
  Migration20261119000001AuthenticatedTokens,
  Migration20261119000002DefinerFunctions,
  Migration20261119000003DatabaseTimes,
  Migration20261119000004TraceState,
];
