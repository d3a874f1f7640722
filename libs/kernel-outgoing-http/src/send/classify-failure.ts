export type OutgoingErrorClass = 'timeout' | 'dns' | 'connection' | 'tls' | 'guard' | 'protocol';
export type FailureDescription = { errorClass: OutgoingErrorClass; message: string };

const known: Record<string, FailureDescription> = {
  ECONNREFUSED: { errorClass: 'connection', message: 'the connection was refused: nothing listens there' },
  ECONNRESET: { errorClass: 'connection', message: 'the receiver reset the connection' },
  EPIPE: { errorClass: 'connection', message: 'the receiver closed the connection while the request was sent' },
  EHOSTUNREACH: { errorClass: 'connection', message: 'the host cannot be reached' },
  ENETUNREACH: { errorClass: 'connection', message: 'the network of the host cannot be reached' },
  UND_ERR_SOCKET: {
    errorClass: 'connection',
    message: 'the receiver closed the connection before the response was complete',
  },
  EVENTBUS_POOLS_CLOSED: { errorClass: 'connection', message: 'the application is shutting down' },
  UND_ERR_DESTROYED: { errorClass: 'connection', message: 'the application is shutting down' },
  UND_ERR_CLOSED: { errorClass: 'connection', message: 'the application is shutting down' },
  UND_ERR_CONNECT_TIMEOUT: { errorClass: 'timeout', message: 'the connection was not established in time' },
  ETIMEDOUT: { errorClass: 'timeout', message: 'the connection timed out' },
  UND_ERR_HEADERS_OVERFLOW: { errorClass: 'protocol', message: 'the response headers are larger than 16 KiB' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    errorClass: 'protocol',
    message: 'the response body is not as long as its content-length says',
  },
  UND_ERR_INVALID_ARG: {
    errorClass: 'guard',
    message: 'the request cannot be put on the wire: check its headers and path',
  },
};

const tlsCode =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERROR_IN_C|INVALID_|HOSTNAME_|PATH_)/;

/** Uses only the code: network error texts name internal addresses, parser error texts contain response bytes. */
export function classifyFailure(code: string): FailureDescription {
  const description = known[code];
  if (description) return { ...description, message: `${description.message} (${code})` };
  if (code.startsWith('HPE_')) return { errorClass: 'protocol', message: `the response is not valid HTTP (${code})` };
  if (code.startsWith('EVENTBUS_')) return { errorClass: 'guard', message: `the request was not sent (${code})` };
  if (tlsCode.test(code)) {
    return { errorClass: 'tls', message: `TLS failed: check the receiver's certificate and host name (${code})` };
  }
  return { errorClass: 'connection', message: `the connection failed (${code})` };
}
