const MAX_NAME_LENGTH = 128;
const MAX_VALUE_LENGTH = 1_024;

/** Headers of the engine and of the connection; by prefix for whole families. */
const RESERVED_PREFIXES = ['webhook-', 'x-kernel-', 'sec-', 'proxy-connection', 'http2-', ':'];
const RESERVED = new Set([
  ...['accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'date', 'expect', 'host'],
  ...['keep-alive', 'te', 'trailer', 'trailers', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
  ...['traceparent', 'tracestate', 'x-trace-id', 'x-request-id'],
]);

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const VALUE = /^[\x20-\x7e]*$/;

/** Words that indicate a credential, as whole parts of a name: `x-auth-token`, not `x-author`. */
const CREDENTIAL_WORDS = new Set([
  ...['auth', 'authentication', 'authorization', 'bearer', 'cookie', 'cookie2', 'credential', 'credentials', 'jwt'],
  ...['apikey', 'passphrase', 'passwd', 'password', 'secret', 'session', 'sessionid', 'signature', 'token'],
]);
const CREDENTIAL_KEYS =
  /(^|[._-])(api|access|account|app|auth|client|functions?|master|private|shared|subscription)[._-]?key($|[._-])/;
const CREDENTIAL_VALUE = /^(basic|bearer|digest|token|hmac|negotiate) |^wh(sec|sk)_|\b(eyJ[\w-]{10,}\.[\w-]{10,}\.)/i;

/** The reason why this header cannot be set, or undefined. Never repeats the value, which may be a misplaced secret. */
export function vetHeader(name: string, value: string | { secretAlias: string }): string | undefined {
  return vetName(name) ?? (typeof value === 'string' ? vetPlainValue(name, value) : undefined);
}

function vetName(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) {
    return `a header name has 1 to ${MAX_NAME_LENGTH} letters, digits, dashes, dots and underscores and starts with a letter or digit`;
  }
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return 'this header is set by the kernel or by the connection: leave it out, or choose another name';
  }
  return undefined;
}

function vetPlainValue(name: string, value: string): string | undefined {
  if (value.length === 0 || value.length > MAX_VALUE_LENGTH || value.trim() !== value) {
    return `a header value has 1 to ${MAX_VALUE_LENGTH} characters and neither begins nor ends with a blank`;
  }
  if (!VALUE.test(value)) {
    return 'CR, LF, control characters and characters beyond ASCII are not allowed in a header value';
  }
  if (isCredentialName(name.toLowerCase()) || CREDENTIAL_VALUE.test(value)) {
    return 'this looks like a credential: put it with POST /secrets and give { "secretAlias": "..." } here';
  }
  return undefined;
}

function isCredentialName(name: string): boolean {
  return name.split(/[._-]/).some((word) => CREDENTIAL_WORDS.has(word)) || CREDENTIAL_KEYS.test(name);
}
