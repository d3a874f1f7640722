/** A failure that the user can fix; the message says how. */
export class StartFailure extends Error {
  readonly code = 'START_FAILURE';
}

/** Errors whose message is written for the user who starts the app. */
const TELLING_CODES = [
  'START_FAILURE',
  'SETTINGS_INVALID',
  'DATABASE_UNREACHABLE',
  'MASTER_KEY_INVALID',
  'MASTER_KEY_MISMATCH',
  'SECRET_UNDECRYPTABLE',
  'EVENTBUS_INVALID_OPTIONS',
  'EVENTBUS_INVALID_CIDR',
  'EVENTBUS_TABLES_MISSING',
  'HYDROLOGY_USAGE',
  'HYDROLOGY_INPUT_REJECTED',
  'HYDROLOGY_VERSION_TAKEN',
];

export interface Ports {
  PORT: number;
  RECEIVER_PORT: number;
}

type SystemError = NodeJS.ErrnoException & { port?: number; address?: string };

/** One line if the cause is known, else a stack. */
export function describeStartFailure(error: unknown, ports?: Ports): string {
  const { code, port, address, message, stack } = error as SystemError;
  if (port !== undefined && (code === 'EADDRINUSE' || code === 'EACCES')) {
    const reason = code === 'EACCES' ? 'may not be used by this user' : 'is already in use';
    return `Cannot start: port ${port} ${reason}; choose another with ${variableOf(port, ports)}=...`;
  }
  if (code === 'EADDRNOTAVAIL' && address !== undefined) {
    return `Cannot start: HOST is "${address}"; it may be an address of this machine, or 0.0.0.0 for every interface`;
  }
  const denied = [error, (error as SystemError).cause].find(isDeniedPath);
  if (denied) {
    const { path, syscall } = denied;
    return `Cannot start: this user may not use ${path} (${denied.code}, ${syscall}); make it yours with chown, or start as its owner`;
  }
  if (code && TELLING_CODES.includes(code)) {
    return `Cannot start: ${message}`;
  }
  return `Cannot start, for a reason that was not foreseen:\n${stack ?? String(error)}`;
}

/** The file system's refusal; a refused port has the same code. */
function isDeniedPath(error: unknown): error is SystemError {
  const { code, path } = (error ?? {}) as SystemError;
  return path !== undefined && (code === 'EACCES' || code === 'EPERM');
}

function variableOf(port: number, ports: Ports | undefined): string {
  return ports && port === ports.RECEIVER_PORT && port !== ports.PORT ? 'RECEIVER_PORT' : 'PORT';
}
