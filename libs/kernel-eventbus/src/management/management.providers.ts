import type { Provider } from '@nestjs/common';
import { TenantBudgets } from './budgets/tenant-budgets.js';
import { EndpointChecks } from './endpoints/endpoint-checks.js';
import { EndpointDestinationCheck } from './endpoints/endpoint-destination-check.js';
import { EndpointEditor } from './endpoints/endpoint-editor.js';
import { EndpointHeaderCheck } from './endpoints/endpoint-header-check.js';
import { EndpointLimitCheck } from './endpoints/endpoint-limit-check.js';
import { EndpointOrderingCheck } from './endpoints/endpoint-ordering-check.js';
import { EndpointPinger } from './endpoints/endpoint-pinger.js';
import { EndpointReader } from './endpoints/endpoint-reader.js';
import { EndpointRequests } from './endpoints/endpoint-requests.js';
import { EndpointRotation } from './endpoints/endpoint-rotation.js';
import { EndpointSecret } from './endpoints/endpoint-secret.js';
import { EndpointSubscriptionCheck } from './endpoints/endpoint-subscription-check.js';
import { EndpointService } from './endpoints/endpoint.service.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { LedgerSearch } from './ledger/ledger-search.js';
import { SecretKeeper } from './secrets/secret-keeper.js';
import { SecretKinds } from './secrets/secret-kinds.js';

export const managementProviders: Provider[] = [
  TenantBudgets,
  SecretKeeper,
  SecretKinds,
  EndpointSecret,
  EndpointHeaderCheck,
  EndpointDestinationCheck,
  EndpointOrderingCheck,
  EndpointSubscriptionCheck,
  EndpointLimitCheck,
  EndpointChecks,
  EndpointReader,
  EndpointEditor,
  EndpointRequests,
  EndpointRotation,
  EndpointPinger,
  EndpointService,
  LedgerSearch,
  LedgerReader,
];
