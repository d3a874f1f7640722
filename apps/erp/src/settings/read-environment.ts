import { originOf, reachableOrigin } from '@kernel/app';
import { EnvironmentVariables } from './environment-variables.js';
import type { ErpSettings } from './erp-settings.js';
import { SettingsError } from './settings.error.js';

export type EnvironmentSettings = Omit<ErpSettings, 'databaseUrl' | 'masterKey' | 'adminToken' | 'logStream'> & {
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** Used for migrations. Undefined: the user of `databaseUrl`. */
  databaseOwnerUrl: string | undefined;
  masterKey: string | undefined;
  adminToken: string | undefined;
  host: string;
  receiverPort: number;
};

/** Never repeated in a message, not even when invalid: a mistyped secret is close to the real one. */
const SECRET_VARIABLES = ['EVENTBUS_ADMIN_TOKEN', 'EVENTBUS_MASTER_KEY', 'EVENTBUS_MASTER_KEY_PREVIOUS'];

/** May hold a password. */
const URL_VARIABLES = ['DATABASE_URL', 'DATABASE_OWNER_URL'];

/** An empty variable counts as unset. */
export function readEnvironment(environment: NodeJS.ProcessEnv): EnvironmentSettings {
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = EnvironmentVariables.safeParse(variables);
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues.map(({ path, message }) => describe(String(path[0]), variables, message)),
    );
  }
  return toSettings(parsed.data);
}

function toSettings(variables: EnvironmentVariables): EnvironmentSettings {
  const { EVENTBUS_ROLE: role, EVENTBUS_ALLOW_HTTP: allowHttp, EVENTBUS_ALLOWED_CIDRS: allowedCidrs } = variables;
  const isDemoWanted = variables.EVENTBUS_DEMO && allowHttp === undefined && allowedCidrs === undefined;
  // Processes that share the embedded database serve the demo tenant too, so they must be able to reach its receiver.
  const mayReachReceiver = isDemoWanted && (role === 'all' || variables.DATABASE_URL === undefined);
  const receiverPort = variables.RECEIVER_PORT;
  return {
    databaseUrl: variables.DATABASE_URL,
    databaseOwnerUrl: variables.DATABASE_OWNER_URL,
    host: variables.HOST,
    port: variables.PORT,
    receiverPort,
    role,
    isDemo: isDemoWanted && role === 'all',
    receiverUrl: mayReachReceiver ? reachableOrigin(originOf(variables.HOST, receiverPort)) : undefined,
    allowHttp: allowHttp ?? false,
    allowedCidrs: allowedCidrs ?? [],
    adminToken: variables.EVENTBUS_ADMIN_TOKEN,
    masterKey: variables.EVENTBUS_MASTER_KEY,
    previousMasterKey: variables.EVENTBUS_MASTER_KEY_PREVIOUS,
    retry: {
      maxAttempts: variables.EVENTBUS_MAX_ATTEMPTS,
      initialDelayMs: variables.EVENTBUS_RETRY_INITIAL_MS,
      maxDelayMs: variables.EVENTBUS_RETRY_MAX_MS,
    },
    timeoutMs: variables.EVENTBUS_TIMEOUT_MS,
    maxTimeoutMs: variables.EVENTBUS_MAX_TIMEOUT_MS,
    maxInFlightPerEndpoint: variables.EVENTBUS_MAX_IN_FLIGHT_PER_ENDPOINT,
    concurrency: variables.EVENTBUS_CONCURRENCY,
    maxPayloadBytes: variables.EVENTBUS_MAX_PAYLOAD_BYTES,
    logLevel: variables.LOG_LEVEL,
  };
}

function describe(name: string, variables: NodeJS.ProcessEnv, mayBe: string): string {
  const was = SECRET_VARIABLES.includes(name) ? 'wrong' : JSON.stringify(withoutPassword(name, variables[name] ?? ''));
  return `${name} is ${was}; it may be ${mayBe}`;
}

function withoutPassword(name: string, value: string): string {
  if (!URL_VARIABLES.includes(name)) {
    return value;
  }
  const url = URL.parse(value);
  return url?.host ? `${url.protocol}//${url.host}${url.pathname}` : 'not a URL with a host';
}
